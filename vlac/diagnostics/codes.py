"""The stable codes of diagnostics, each with what `vlac explain CODE` prints."""

from __future__ import annotations

from textwrap import dedent

CODES: dict[str, str] = {}
"""Every code and its explanation. Add some with `explain`; a code never changes its meaning."""


def explain(explanations: dict[str, str]) -> None:
    """Add codes; an explanation is a paragraph or two, indented as the source likes it."""
    for code, text in explanations.items():
        assert code not in CODES, code
        CODES[code] = dedent(text).strip()


explain(
    {
        "yaml-syntax": """
            The text is not YAML, so that nothing can be said about its fields. The message points to the
            place where reading ended; the cause is there or a few characters before. A text that holds
            `: ` or ` #`, or begins with one of `@ % & * ! | > { [ ' "`, goes in quotes.
            """,
        "yaml-tab": """
            YAML indents with blanks; a tab between tokens is not allowed. Most editors can turn tabs into
            blanks.
            """,
        "yaml-character": """
            The text holds a character that YAML does not allow: NUL, another control character, a
            byte-order mark inside the text, or one half of a surrogate pair. Such a character is usually the
            rest of a copy, or the file is not a text at all.
            """,
        "yaml-duplicate-key": """
            A key is written twice in one mapping. Readers of YAML disagree about which of the two holds, so
            vlac takes neither: delete one.
            """,
        "yaml-two-documents": """
            A line `---` begins a second document. One file is one spec; for specs that share a part, put it
            into a file of its own and name that under `extends`.
            """,
        "yaml-version": """
            A spec is YAML 1.2, where `1e-5` is a number and `on` and `no` are texts. A `%YAML` line that
            asks for another version would be wrong in silence, so it is refused.
            """,
        "yaml-tag": """
            A tag (`!!python/...`, `!something`) asks a reader to build an object. A spec is data: no tag is
            ever run, and none is needed. A text that begins with `!` goes in quotes.
            """,
        "yaml-alias": """
            `*name` repeats what `&name` marked further up. The anchor is missing, comes later, or the alias
            would contain itself. A text that begins with `*` or `&` goes in quotes. Top-level keys that
            begin with `x-` are ignored and a good place for anchors.
            """,
        "yaml-merge-key": """
            `<<` was an addition of YAML 1.1 and is not part of 1.2. To share fields between specs, use
            `extends`; inside one spec, an alias repeats a whole value.
            """,
        "yaml-key": "A key is one word; a list or a mapping cannot be one.",
        "yaml-depth": """
            The text nests deeper than 64 levels, aliases expanded. A spec needs four. The limit protects
            against texts that are made to exhaust their reader.
            """,
        "yaml-too-many-nodes": """
            With every alias expanded, the text holds more than 10000 values. A spec has less than 300. The
            limit protects against texts that are made to exhaust their reader.
            """,
        "spec-unreadable": """
            The file is missing, is a folder, or cannot be opened. For a parent under `extends`, the path is
            relative to the file that names it, not to the working directory.
            """,
        "spec-not-utf8": """
            A spec is UTF-8, with or without byte-order mark, with LF or CRLF line ends. The message points
            to the first byte that is not. Editors offer "save with encoding".
            """,
        "spec-too-large": "A spec has at most 1 MiB. Real ones have a few hundred bytes; this is another file.",
        "spec-empty": """
            The file holds nothing, or comments alone. `vlac init` writes a commented spec to start from.
            """,
        "spec-newer": """
            `vlac:` names the version of the spec language, and this spec is written for a newer one. Nothing
            else in it was read, because its fields may mean something else there. Install a newer
            vla-compiler.
            """,
        "spec-unknown-key": """
            The key is no field of a spec. Nothing in a spec is ignored in silence: a slip of the finger would
            otherwise train with a default. The hint names the nearest field. Top-level keys that begin with
            `x-` are free for notes.
            """,
        "spec-foreign-word": """
            The key belongs to another tool, to RLinf itself, or to another section. The hint names the field
            that means it. A field has one spelling, so the word is not accepted as well.
            """,
        "spec-not-offered": """
            RLinf has no switch for this, or decides it itself, so a field for it would do nothing. LoRA's
            alpha, dropout and modules, the image size, the logging interval, another optimizer and early
            stopping are of this kind.
            """,
        "spec-later": """
            The name is kept for a field that this version of vlac does not offer yet. Leave the key out.
            """,
        "spec-type": """
            The value has another type than the field. Types are strict: a number is not a text and a text
            not a number, `true` is not 1, and a whole number is digits alone (`30000`, not `3e4` or
            `30_000`). Versions and the values of `env` are the exception: they are taken as they are written.
            """,
        "spec-range": "The value has the right type and lies outside what the field allows.",
        "spec-choice": "The field takes one of a few words, and this is none of them.",
        "spec-null": """
            The field has no value. A field that is left out has its default; one that is written empty is
            a mistake. In a spec with `extends`, null means "forget what I inherited", in `overrides` it is
            a value, and in `env` it leaves the variable to the shell.
            """,
        "spec-missing": """
            A required field is not there. What has one right answer for everybody has a default; what
            decides about your run does not.
            """,
        "spec-name": """
            The name becomes a file name, a folder and a label in loggers: letters or digits of any script
            first, then also `.`, `_` and `-`, at most 64 characters, no `..`.
            """,
        "spec-text": """
            The text holds a line break or a control character where one line is expected, a NUL where no
            variable can hold one, or a `${` that RLinf would take for an interpolation.
            """,
        "spec-path": """
            Paths of the machine that trains are absolute, or begin with `./` or `../` and are then relative
            to the spec's folder, never to the working directory. Where a data set may come from a hub,
            `owner/name` is its id. Parents under `extends` are relative to the file that names them.
            """,
        "spec-path-expansion": """
            Nothing is expanded from the environment that compiles: the same spec gives the same bytes
            everywhere. `${oc.env:NAME}` may stand at the start of a path and is resolved where the
            training is launched.
            """,
        "spec-placeholder": """
            The path is a placeholder of an example (`/path/to/...`). The training would look for it and fail
            after minutes; write the real one.
            """,
        "spec-resume": """
            RLinf reads the step to go on from out of the folder's name, so the path ends in `global_step_N`.
            """,
        "spec-excludes": "Two fields say the same thing in two ways, and only one of them can hold.",
        "spec-unused": """
            The field would do nothing with the rest of this spec. Every written field does something, so
            vlac does not accept it in silence.
            """,
        "spec-twice": "A list names the same thing twice.",
        "spec-variable-name": """
            The name of an environment variable has letters, digits and `_`, and does not begin with a digit.
            Under `secrets`, only names are listed.
            """,
        "spec-variable-reserved": """
            A name that no spec can set: bash does not let it be changed, launch.sh could not go on with another
            value, or launch.sh and vlac set it themselves, so that what is written here would be lost.
            """,
        "spec-env-simulator": """
            In RLinf's files `env` is the simulator. In a spec `env` holds environment variables, each with a
            text or a number.
            """,
        "spec-secrets-mapping": """
            `secrets` is a list of names. A secret in a spec would end in version control, in the bundle
            and in logs, so values have no place there: the shell that launches the training sets them, and
            `launch.sh` stops where one is missing. If the value was real, replace it.
            """,
        "spec-secret-value": """
            A name that is listed under `secrets` has a value under `env`. Values of `env` are written into
            the bundle in clear. Delete it there; the shell that launches the training sets it.
            """,
        "spec-secret-in-env": """
            A variable whose name looks like a secret's has its value in the spec, and with that in the
            bundle's run.env. List the name under `secrets` and set it in the shell instead. If it is no
            secret, this is only a warning.
            """,
        "spec-unknown-patch": """
            `patches` lists ids of source patches: those that are true of RLinf whatever the hardware, and those of the
            backend. This is neither. `vlac plan` lists them with what each would do.
            """,
        "spec-override-key": """
            A key of `overrides` is an absolute path into RLinf's configuration: `a.b`, `a."b.c"` for a part
            with dots, `a[0].b` for an item. `+a.b` adds a key that is not there, `~a.b: null` deletes one.
            """,
        "spec-extends-cycle": "A spec extends itself, over some other specs. There is no first one to begin with.",
        "spec-extends-depth": """
            Specs extend each other over more than 8 levels, or over more than 64 files. Where a value comes
            from would no longer be clear to a reader.
            """,
        "argument-backend": "`--backend` takes the name of a backend, or `BACKEND:DEVICE` as in `cuda:H100`.",
        "argument-set": """
            `--set path=VALUE` sets one field. VALUE is a YAML scalar, or a list or mapping in brackets; the
            shell's quotes go around it. `--set path=` is the empty text.
            """,
    }
)

explain(
    {
        "patch-needed": """
            The compiled configuration lacks a key that RLinf reads without a default, and a source patch makes RLinf
            cope with that. Either list the patch, and apply it with `vlac patch SPEC apply`, or give the key a value.
            """,
        "patch-tree": """
            A source patch is made for trees whose files are known by their sha256. Here the target is none of them, or
            the tree was edited: then the bundle has the patch for the nearest version, `vlac patch` refuses the files
            and says how they differ, and `git apply` may still do it for those who vouch for their tree.
            """,
        "patch-empty": "The file given as a patch changes nothing: it holds no `---` and `+++` lines with hunks.",
        "patch-unreadable": "There is no such patch file, it is a folder, or this user may not read it.",
        "patch-not-utf8": "A patch of RLinf is UTF-8 text. The message names the first byte that is not.",
        "patch-refused": """
            Renames, copies, merges and binary changes cannot be compared with a bundle. Leave them out of
            the patch: `git diff --no-renames` writes a rename as a deleted and a new file. A path that leads
            out of the checkout is refused as well.
            """,
        "patch-hunk-without-file": "A hunk stands before any `---` and `+++` lines, so its file is unknown.",
        "patch-hunk-header": "A line that begins with `@@` has not the form `@@ -line,count +line,count @@`.",
        "patch-hunk-count": """
            The header of a hunk says how many lines the file has there before and after the change, and the
            hunk has another number of them. It was edited by hand, or cut off; `git apply` refuses it too.
            """,
        "patch-does-not-apply": """
            A hunk of the patch finds no place in the file of the tree: the lines that it needs are not there, or are
            others. The message says which line differs. `git apply` refuses it too; nothing of the tree was changed.
            """,
        "patch-context": """
            The lines that a hunk changes are in the tree, but not all lines around them are those of the patch.
            `git apply` takes it only when it is told how few of them must hold (`-C`), so it may go to a wrong place.
            """,
        "patch-applied": "The tree looks as the patch wants it already. `vlac diff SPEC --checkout PATH` tells what a"
        " tree changes.",
        "patch-file-missing": "The patch changes or deletes a file that the tree has not.",
        "patch-file-exists": "The patch creates a file that the tree has already, with another content.",
        "patch-fits": """
            Which known RLinf version a patch was made for, by git's ids of the files before the change (the `index`
            lines that `git diff` writes), or by trying it on that version's files where the checkout's history has
            them; and what the tree is.
            """,
        "patch-no-hunk": "The header of a file is there and no change follows: the patch may be cut off.",
        "patch-yaml": """
            One side of a hunk of a configuration cannot be read as YAML. Either the patched file would be
            broken, or the hunk begins inside a text of several lines; more context helps then:
            `git diff -U20`.
            """,
    }
)

explain(
    {
        "refused": """
            A folder, file or tree was left as it was, because writing there would lose something that vlac
            did not make. The message says what, the hint how to go on.
            """,
        "check-failed": """
            A training ended, and one of the checks that follow it did not hold. The run is told to have
            failed although the trainer's own status was 0.
            """,
        "usage": "The command line asks for something that does not exist. `vlac COMMAND --help` lists what does.",
        "machine": """
            This machine cannot run the bundle as it is: a device, a program, a folder or a secret is missing.
            The bundle itself is fine and runs where these are there.
            """,
        "explain-unknown": """
            `vlac explain` takes a spec with a field, a key of RLinf's configuration or a variable; or the
            code of a message alone. This is none of them; the nearest are listed.
            """,
        "target-unknown-version": """
            vlac writes the keys that one version of RLinf reads, from tables it has for some versions. For
            another one it would have to guess, so it does not.
            """,
        "target-no-tree": """
            `rlinf.version: auto` looks at the RLinf tree at `rlinf.path` when the spec is compiled. There is none: no
            such folder, neither `rlinf/` nor `examples/` in it, or a path that is only known at launch.
            """,
        "target-tree-unfit": """
            The RLinf tree cannot train what the spec asks for, or it takes more than is installed to find out: the
            message says which. A tree that nobody has seen is compiled from its own openpi SFT config, which Hydra
            composes (`pip install "vla-compiler[compose]"`).
            """,
        "target-tree-ambiguous": """
            The folder holds a part of RLinf that is the same in several versions, so that its content does not tell
            which one it is, and neither does what the package calls itself or git.
            """,
        "target-tree-edited": """
            The RLinf tree is a known version in which a few files were changed. As long as the changes do not touch the
            keys that the run reads, it is compiled as that version; else from its own configuration.
            """,
        "target-tree-unseen": """
            The content of the RLinf tree is that of no version vlac has data for: an older release, a fork, a newer
            main. Schedules, loggers, data configs and the configuration to start from are read from the tree itself.
            """,
        "target-tree-keys": """
            The code of the RLinf tree reads other configuration keys than the known version that it resembles most:
            some moved, are new, are gone, or are read in another way. `vlac reads --rlinf PATH --against VERSION`
            shows all of it.
            """,
        "target-logger": "The metric logger of this RLinf tree has no back end of that name.",
        "target-key-missing": """
            The code of the RLinf tree reads the key without a default on the way of this very run, and the compiled
            configuration does not have it: the run would die there. `overrides` can add it: `+key: value`.
            """,
        "target-unknown-family": "vlac has no table for this model family.",
        "target-unknown-backend": """
            No adapter of this name is installed. `ascend`, `cuda` and `cpu` come with vlac; another package
            can bring more, under the entry points `vlac.adapters`.
            """,
        "target-unknown-device": """
            The adapter has no row for this kind of card, so that neither its memory nor the cards of a node
            are known. Aliases of a device are accepted where the adapter lists them.
            """,
        "data-unknown-config": """
            `data.config` names one of the data configs that RLinf registers with openpi; which ones depends
            on RLinf's version and on the family.
            """,
        "data-other-family": """
            The data config belongs to another model family. Trained with it, the model would be of that
            family: the config decides the architecture, `model.family` has to agree.
            """,
        "data-unknown-option": "The class behind the data config takes no such option and would fail when it is built.",
        "data-first-only": """
            The family's loader reads the first data set and drops the rest in silence. Merge them into one,
            or choose.
            """,
        "model-tune": "The family has no such way to train a part of its parameters.",
        "model-dtype": """
            The family does not take this number format. openpi's models keep a mixture of their own, which
            only `auto` leaves alone.
            """,
        "model-action-chunk": """
            A model predicts as many actions as its action horizon, and a chunk is the part of them that is
            used. It cannot be longer.
            """,
        "hardware-too-many-cards": """
            `hardware.cards` counts per node, and a node of this device does not hold that many. For more,
            raise `hardware.nodes`.
            """,
        "batch-indivisible": """
            An optimizer step is made of whole micro batches on every rank: the global batch is a multiple of
            micro batch x ranks. How often gradients are accumulated follows from it. The message shows the
            arithmetic, the hint the nearest batches that divide.
            """,
        "train-schedule": "This version of RLinf has no learning-rate schedule of that name.",
        "train-decay-missing": """
            The schedule needs its length in steps. With `train.steps` that is the default; with epochs
            alone nobody knows the number of steps before the data are read, so `train.decay_steps` says it.
            """,
        "train-decay-short": """
            The cosine reaches its end before the training does and rises again after it. That is
            seldom meant; `train.decay_steps` is the length of the schedule.
            """,
        "train-warmup-long": "The warm-up would not end within the schedule, so that the peak rate is never reached.",
        "train-warmup-share": """
            The warm-up takes more than a fifth of the schedule. It is no error, but often a left-over of a
            longer run.
            """,
        "train-min-lr": "The rate at the end of the schedule cannot be above the peak rate.",
        "fsdp-sharding": "RLinf does not build this combination of FSDP version and sharding.",
        "fsdp-offload": """
            `fsdp.cpu_offload` sets `fsdp_config.cpu_offload` and `actor.enable_offload`. With the latter RLinf's SFT
            worker moves parameters and buffers to host memory when it starts (rlinf/workers/sft/fsdp_sft_worker.py,
            v0.3 and main) and no SFT code moves them back. Whether that trains on a device has not been shown.
            """,
        "checkpoints-never": """
            No checkpoint is written, not even at the end: the training leaves figures and nothing else.
            """,
        "checkpoints-resume-done": """
            `train.steps` is the length of the whole training, so a run that goes on from `global_step_N` trains the
            steps from N + 1 on. Here there are none.
            """,
        "backend-requires": """
            The backend works with other values only, for the reason in the message. A value that it merely
            prefers can be changed; this one cannot.
            """,
        "spec-field-refused": """
            With this family or backend the field would do nothing or break the run, for the reason in the
            message. Every written field does something, so it is refused.
            """,
        "spec-field-ignored": """
            With the rest of this spec the field does nothing. The compile goes on; leave the field out to
            say what happens.
            """,
        "override-of-field": """
            The key belongs to a field of the spec. Derived figures (ranks, accumulation, the rate at a
            step) are computed from fields, and an override would make them untrue in silence.
            """,
        "override-unknown": """
            The configuration has no such key, so that nothing would read it. `+key` adds one on purpose.
            """,
        "override-exists": "`+key` adds a key that is not there. This one is: write it without the plus.",
        "override-type": """
            A key keeps its type: a number is not replaced by a text, a section not by a value. An integer
            may stand for a number, and null for anything.
            """,
        "override-unresolved": """
            `${a.b}` in a value of `overrides` is an interpolation of RLinf's configuration, and nothing is at
            that key.
            """,
        "override-dead": """
            No code of this RLinf version on the path of this run reads the key, so its value changes nothing.
            vlac knows that from the names that the version's source reads; a key that such a look could miss
            is not warned about.
            """,
        "override-secret": """
            A key whose name looks like a secret's gets its value from the spec, and with that it stands in the
            bundle's config.yaml. Write `${oc.env:NAME}` as the value, list NAME under `secrets`, and set it in
            the shell. If it is no secret, this is only a warning.
            """,
        "override-reserved": "The key belongs to Hydra. config.yaml is complete, and vlac writes Hydra's node itself.",
        "env-value": """
            The variable does not take this value: `docs/backends.md` lists what each one takes, and
            `vlac explain SPEC NAME` shows one.
            """,
        "env-rule": """
            The environment breaks or hangs the run on this backend (an error), or a variable in it does nothing
            or slows the run down (a warning). What the message says is judged over all variables, those that
            vlac sets included.
            """,
        "env-scope": """
            On several nodes, `env` gives every node the same value: each sources run.env before `ray start`.
            What differs between nodes, as the address of a network card, is exported on each node instead.
            """,
        "hardware-ranks": """
            A card of this kind holds more than one device, and each device is a rank: batches and placement count
            ranks, `cards` counts whole cards.
            """,
        "env-shell": """
            The shell that starts the run has a variable to which the backend objects. What the bundle sets wins
            over the shell; this variable it does not set. `docs/backends.md` has the table and the rules.
            """,
        "stack-version": "A version is numbers with dots, as 8.3, 8.3.RC1 or 2.7.1.post2.",
        "stack-component": "`hardware.stack` takes the names of the backend's components, each with its version.",
        "stack-mismatch": """
            These versions cannot work together (an error), or nobody has tested them together (a warning): the
            table in `docs/backends.md` lists which CANN, torch and torch_npu belong together.
            """,
        "backend-lacks": """
            The configuration asks for something that this backend does not have, for the reason in the message.
            """,
        "port-refused": """
            The config of `base` needs other hardware in some part: its simulator, its rollout or training engine, or
            its model. docs/ports.md lists what becomes of every config that RLinf ships, and where each fact is from.
            """,
        "port-warning": """
            Runs of this kind were seen on this backend, with something to know first. docs/ports.md has the source.
            """,
        "port-unknown": """
            No source speaks of a run of this kind on this backend: it may work, or not. What is known to be in the
            way was replaced (`vlac explain SPEC KEY`), and docs/ports.md lists what is known.
            """,
        "value-uncarriable": """
            The value cannot be written into config.yaml so that RLinf reads the same: the text holds a
            character that YAML or OmegaConf does not carry.
            """,
    }
)

explain(
    {
        "check-not-composed": """
            Hydra cannot put this config together: an entry of its `defaults` names a file that is not there. The
            message points to the entry. RLinf would end with the same error before it reads a single key.
            """,
        "check-no-config": "The file is YAML, but no mapping of sections, so that it configures nothing.",
        "check-key-missing": """
            RLinf reads this key as an attribute or with `[]`, and its configuration is in struct mode: where the key
            is not there, the run ends with `ConfigAttributeError: Key '...' is not in struct`. The message names the
            lines that read it. Every way that a run with this configuration can take goes through one of them.
            """,
        "check-key-maybe-missing": """
            RLinf reads this key without a default, but not on every way: behind a test of something that the
            configuration does not decide, as the number of parameters of a group. Where the run comes by, it ends.
            """,
        "check-key-dead": """
            The key is set, and nothing that this run executes reads it, so that its value changes nothing. Either no
            code of the tree names it at all, or (for supervised fine-tuning, where vlac's reader was compared with a
            trace of a run) no code on the way of this run does. Keys of sections that go whole to other packages are
            never called dead.
            """,
        "check-key-moved": """
            Another version of RLinf has this key, and the tree at hand reads it under another name. Where RLinf still
            takes the old name, it says so in its log. `vlac reads --against VERSION` lists every key that differs.
            """,
        "check-word-unknown": """
            RLinf takes one of a few words here and ends, or falls into a branch that was not meant, at any other. The
            words are read from the tree, so they are those of its version.
            """,
        "check-interpolation": """
            `${a.b}` names a key of the configuration, and nothing is there; or it leads back to itself; or
            `${name:...}` asks for a resolver that RLinf does not register. RLinf's scripts resolve the whole
            configuration before they start anything, so the run ends there.
            """,
        "check-value-mandatory": """
            `???` is OmegaConf's mark for a value that must be given. A run that reads it ends with
            `MissingMandatoryValue`; where nothing of this run reads the key, this is only a warning.
            """,
        "check-placeholder": """
            RLinf's configs leave paths and names for the user to write, as `/path/to/model`. A run would look for just
            that and end when it loads the file. As the config may be meant as a template, this is a warning.
            """,
        "check-placement": """
            RLinf ends when it places the components: it cannot read the ranks, two lines place the same component, a
            rank lies outside the cluster, or a node group is not there. The forms are `0-3`, `all` and `0-3:0-7`
            (resources : processes); see the class ComponentPlacement in rlinf/scheduler/placement/placement.py.
            """,
        "check-assertion": """
            RLinf asserts this itself, before or while it builds the run, and would end with the message quoted. vlac
            evaluates the tree's own code on this configuration; what needs devices or data is left out.
            """,
        "check-undecided": """
            A part of the check could not be made, for the reason in the message: nothing is said about it, neither good
            nor bad.
            """,
    }
)

explain(
    {
        "config-broken": """
            The config cannot be imported, because Hydra does not compose it: its `defaults` name a file that is not on
            its search path, or a file of it is wrong. The message points to the line. RLinf would not start with it
            either.
            """,
    }
)

explain(
    {
        "base-broken": """
            The config that `base` names is there, but Hydra does not compose it: its `defaults` name a file that is
            not on its search path, or a file of it is wrong. The hint names the place. RLinf would not start with it
            either.
            """,
        "base-missing": """
            The RLinf tree holds no such config. `base` is relative to the root of the checkout, as
            `examples/sft/config/libero_sft_openpi.yaml`; versions differ in the configs that they have.
            """,
        "base-no-checkout": """
            `base` is read when the spec is compiled, so the RLinf tree has to be on the machine that compiles: at
            `rlinf.path`, or elsewhere with `--rlinf PATH`. A path that begins with a variable is known only where the
            run starts.
            """,
        "run-no-backend": """
            A spec with `base` may leave open where it runs: then its configuration alone is compiled. To run it, write
            `hardware` with a backend and the number of cards.
            """,
        "base-placeholder": """
            RLinf's configs leave paths and names for the user to write, as `/path/to/model`. This one is still in the
            compiled configuration. It compiles, as the base may be meant as a template, but `vlac run` does not start.
            """,
        "base-other-family": """
            The base decides which model is trained; `model.family` beside it is checked against it, and here it
            names another one. Leave it out, or choose another base.
            """,
        "spec-placement": """
            `hardware.placement` maps components of the base, alone or with commas between them, to ranks: `0-7`, a
            list `0-3,6`, one number, `all`, or `ranks:processes` as `0-3:0-7`.
            """,
        "placement-unclear": """
            The base puts its components on different accelerators, and the run has another number of them. Which
            component should get more or fewer is for you to say, under `hardware.placement`.
            """,
        "placement-groups": """
            The base puts components on groups of nodes, as a robot's computer and a server; cards say nothing about
            those. The placement stays as composed; `hardware.placement` or `overrides` of `cluster` change it.
            """,
        "placement-components": """
            `hardware.placement` places every component that the base runs, each once, on accelerators that the run
            has: numbers from 0 to nodes x cards x ranks a card, less one.
            """,
        "data-mix": """
            Not every model trains on several weighted data sets: RLinf's loaders for pi0 and pi0.5 read the first
            path only. Of those that mix, DreamZero alone takes a config (its embodiment tag) for each set.
            """,
        "eval-every": """
            RLinf asserts at its first step that checkpoints are written at steps where it also evaluates: the steps
            between evaluations have to divide the steps between checkpoints.
            """,
        "override-beside-field": """
            A spec field sets this key, but the field cannot hold the value: an interpolation, a null, a value of
            another type or out of its range. Beside a `base` it stands as written; figures that vlac derives from
            the field are left out.
            """,
    }
)

explain(
    {
        "doctor-data-missing": """
            No LeRobot data set is where the run will look for one: the folder or its meta/info.json is missing or
            cannot be read. A path that is not a folder with meta/info.json is taken for an id of the Hugging Face hub,
            which ends in a download or, without a network, in an error about repository names.
            """,
        "doctor-data-meta": """
            A file of the data set's meta/ is missing, is not what the version in info.json promises, or cannot be read.
            """,
        "doctor-data-format": """
            The version of the data set's format is not the one that the LeRobot of the training interpreter reads: 0.1
            to 0.3 read v2.1, 0.4 and later v3.0, and openpi pins 0.1.0. That LeRobot needs datasets below 4, which
            returns its columns in a form that it can stack.
            """,
        "doctor-data-counts": """
            info.json, the list of episodes and the data files disagree about how much there is. A conversion or a
            download that was interrupted leaves this; LeRobot then ends, or trains on a part.
            """,
        "doctor-data-files": """
            Files of the data set are missing, empty, cut off, or pointers of Git LFS: a clone without git-lfs, an
            interrupted download or a full disk. A worker ends when it first reads one, perhaps after hours.
            """,
        "doctor-data-features": """
            The data config of the run reads features that the data set does not have under that name. openpi's repack
            transform ends in a KeyError at the first sample.
            """,
        "doctor-data-size": """
            A state or an action of the data set has another number of entries than the data config or the model takes.
            """,
        "doctor-data-tasks": """
            Prompts come from the tasks of the data set. Where one is missing, openpi ends with `Prompt is required` or
            with a task_index that has no task; where its text is empty, the model learns without an instruction.
            """,
        "doctor-data-time": """
            The timestamps are not 1/fps apart. LeRobot looks for frames at multiples of it, and ends where the nearest
            is farther off than 0.1 ms.
            """,
        "doctor-data-small": """
            openpi's loader drops the last incomplete batch of a rank, and ends where the share of a rank is smaller
            than one batch.
            """,
        "doctor-config-broken": """
            The code of this RLinf version cannot build the data config, whatever the data set is.
            """,
        "doctor-norm-stats-missing": """
            Training reads its normalisation statistics beside the weights, under an id that the data config names, and
            not where RLinf's or openpi's script writes them. `vlac norm-stats SPEC` computes them and puts them where
            they are read. Without them the run ends when it builds the model or the data loader.
            """,
        "doctor-norm-stats-broken": """
            The file is no JSON of the form that openpi writes, lacks the statistics of state or actions, or lacks the
            1st and 99th percentile, by which pi0.5 is normalised.
            """,
        "doctor-norm-stats-size": """
            The statistics have another number of entries than the data: they are of another robot or another data
            config. Too few end the run at the first batch; of too many the first ones are used.
            """,
        "doctor-norm-stats-range": """
            An entry of state or action is nearly constant, so that its spread is nearly zero; normalising divides by
            it, and a value that is a little off becomes a huge one. The loss then jumps or becomes NaN. Entries that
            are zero everywhere are padding and harmless.
            """,
        "doctor-norm-stats-old": """
            The data set was written after its statistics. Where episodes were added or changed, the statistics no
            longer fit them; where the statistics came with the weights, that is as it should be.
            """,
        "doctor-weights-missing": "There is no folder where `model.weights` points to.",
        "doctor-weights-broken": """
            A file of weights is cut off, empty, a pointer of Git LFS, or not in the format of its name; or the index
            names files that are not there.
            """,
        "doctor-weights-layout": """
            RLinf starts pi0 and pi0.5 from full_weights.pt of one of its own checkpoints, or from the safetensors files
            of openpi's PyTorch model. This folder holds something else: a JAX checkpoint, an export of LeRobot, a LoRA
            adapter, shards, or nothing.
            """,
        "doctor-weights-family": "The parameters are those of another model family than the spec names.",
        "doctor-weights-keys": """
            RLinf loads weights with strict=False and discards what PyTorch says: a parameter that no key matches keeps
            its random start, training looks normal, and the policy fails. Below 99 % of the expected keys the
            doctor calls that a fail. The expected keys are those of openpi's PyTorch model.
            """,
        "doctor-python": """
            The interpreter that trains does not answer, or lacks a package without which nothing starts. It is
            `rlinf.python`, else .venv/bin/python of the checkout, else `python`.
            """,
        "doctor-transformers": """
            openpi's PyTorch model needs files of its own in place of those of transformers 4.53.2, in the interpreter
            that trains. A new environment or an upgrade of transformers loses them.
            """,
        "doctor-tokenizer": """
            openpi reads PaliGemma's tokenizer from big_vision/paligemma_tokenizer.model below $OPENPI_DATA_HOME, by
            default ~/.cache/openpi, and downloads it from gs://big_vision where it is not there. Without a way to that
            bucket every rank hangs or ends.
            """,
        "doctor-offline": "The run is told not to use the Hugging Face hub, and something it needs is only there.",
        "doctor-wandb": """
            wandb asks for a key at the start; without a terminal it cannot, and the run ends. WANDB_MODE=offline keeps
            the log on disk.
            """,
        "doctor-device": "The cards of this machine are not those that the spec counts on.",
        "doctor-stack": "The versions of the backend's software do not go together, or not with what the spec says.",
        "doctor-shell": "A variable of this shell comes into the run, and the backend objects to it.",
        "doctor-checkout": "The RLinf that would run is not the one that the spec is compiled for.",
    }
)
