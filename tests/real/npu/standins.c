/* What torch_npu needs to get from CANN so that it believes in Ascend 910B3 devices on a machine without any.
 *
 * "Device" memory is host memory that starts as zeros, copies are copies, and streams, events, communicators and
 * operators are there but do nothing: programs run, their numbers mean nothing. Written from the declarations in the
 * torch_npu 2.13.0 wheel (include/acl, include/hccl). standins.py generates all other functions as "return 0".
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OK = 0, FAILED = 507899, DEFAULT_DEVICES = 8, MOST_DEVICES = 64, ALIGNMENT = 512 };
#define GIB (1024UL * 1024UL * 1024UL)

/* --- devices ------------------------------------------------------------------------------------------- */

static int number_of_devices(void) {
    const char *text = getenv("STANDIN_NPUS");
    return text ? atoi(text) : DEFAULT_DEVICES;
}

/* As CANN reads ASCEND_RT_VISIBLE_DEVICES: an id that is not there or not greater than the last ends the list. */
static int number_of_visible_devices(void) {
    const char *text = getenv("ASCEND_RT_VISIBLE_DEVICES");
    if (!text) return number_of_devices();
    int count = 0, last = -1;
    for (char *end; count < MOST_DEVICES; text = end + 1) {
        long id = strtol(text, &end, 10);
        if (end == text || id <= last || id >= number_of_devices()) break;
        last = (int)id;
        count++;
        if (*end != ',') break;
    }
    return count;
}

static _Thread_local int32_t current_device = -1;

int aclrtGetDeviceCount(uint32_t *count) {
    *count = (uint32_t)number_of_visible_devices();
    return OK;
}

int aclrtSetDevice(int32_t device) {
    if (device < 0 || device >= number_of_visible_devices()) return FAILED;
    current_device = device;
    return OK;
}

int aclrtGetDevice(int32_t *device) {
    if (current_device < 0) return FAILED; /* as before the first aclrtSetDevice of a thread */
    *device = current_device;
    return OK;
}

int aclrtGetCurrentContext(void **context) {
    *context = (void *)(intptr_t)(current_device + 1);
    return current_device < 0 ? FAILED : OK;
}

int aclrtSetCurrentContext(void *context) {
    current_device = (int32_t)(intptr_t)context - 1;
    return OK;
}

const char *aclrtGetSocName(void) { return "Ascend910B3"; }

int aclrtGetMemInfo(int attribute, size_t *free_bytes, size_t *total_bytes) {
    (void)attribute;
    *free_bytes = 61 * GIB;
    *total_bytes = 64 * GIB;
    return OK;
}

int aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer) {
    *can = device != peer;
    return OK;
}

int aclrtDeviceGetBareTgid(int32_t *pid) {
    *pid = getpid();
    return OK;
}

/* --- memory -------------------------------------------------------------------------------------------- */

int aclrtMalloc(void **pointer, size_t size, int policy) {
    (void)policy;
    if (posix_memalign(pointer, ALIGNMENT, size ? size : ALIGNMENT)) return FAILED;
    memset(*pointer, 0, size);
    return OK;
}

int aclrtMallocAlign32(void **pointer, size_t size, int policy) { return aclrtMalloc(pointer, size, policy); }
int aclrtMallocHost(void **pointer, size_t size) { return aclrtMalloc(pointer, size, 0); }

int aclrtFree(void *pointer) {
    free(pointer);
    return OK;
}

int aclrtFreeHost(void *pointer) { return aclrtFree(pointer); }

/* Segments that grow (expandable_segments): addresses first, memory behind them later. The length of a range
 * stands in the page before it. */
static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

int aclrtReserveMemAddress(void **pointer, size_t size, size_t alignment, void *wanted, uint64_t flags) {
    (void)alignment, (void)wanted, (void)flags;
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *start = mmap(NULL, size + page(), PROT_READ | PROT_WRITE, kind, -1, 0);
    if (start == MAP_FAILED) return FAILED;
    *(size_t *)start = size;
    *pointer = start + page();
    return OK;
}

int aclrtReleaseMemAddress(void *pointer) {
    char *start = (char *)pointer - page();
    munmap(start, *(size_t *)start + page());
    return OK;
}

int aclrtMallocPhysical(void **handle, size_t size, const void *properties, uint64_t flags) {
    (void)properties, (void)flags, (void)size;
    return aclrtMalloc(handle, ALIGNMENT, 0);
}

int aclrtFreePhysical(void *handle) { return aclrtFree(handle); }

int aclrtMemcpy(void *to, size_t most, const void *from, size_t count, int kind) {
    (void)kind;
    if (count > most) return FAILED;
    memmove(to, from, count);
    return OK;
}

int aclrtMemcpyAsync(void *to, size_t most, const void *from, size_t count, int kind, void *stream) {
    (void)stream;
    return aclrtMemcpy(to, most, from, count, kind);
}

int aclrtMemset(void *pointer, size_t most, int32_t value, size_t count) {
    if (count > most) return FAILED;
    memset(pointer, value, count);
    return OK;
}

int aclrtMemsetAsync(void *pointer, size_t most, int32_t value, size_t count, void *stream) {
    (void)stream;
    return aclrtMemset(pointer, most, value, count);
}

/* --- streams and events: whatever was queued is done ---------------------------------------------------- */

static int new_handle(void **handle) {
    *handle = calloc(1, ALIGNMENT);
    return *handle ? OK : FAILED;
}

int aclrtCreateStream(void **stream) { return new_handle(stream); }
int aclrtCreateStreamWithConfig(void **stream, uint32_t priority, uint32_t flag) {
    (void)priority, (void)flag;
    return new_handle(stream);
}
int aclrtCreateEvent(void **event) { return new_handle(event); }
int aclrtCreateEventWithFlag(void **event, uint32_t flag) {
    (void)flag;
    return new_handle(event);
}
int aclrtCreateEventExWithFlag(void **event, uint32_t flag) { return aclrtCreateEventWithFlag(event, flag); }

static int answer(void *event, int *status, int value) {
    (void)event;
    *status = value;
    return OK;
}

int aclrtQueryEventStatus(void *event, int *status) { return answer(event, status, 1); }
int aclrtQueryEventWaitStatus(void *event, int *status) { return answer(event, status, 0); }
int aclrtStreamQuery(void *stream, int *status) { return answer(stream, status, 0); }

int aclrtEventElapsedTime(float *milliseconds, void *start, void *end) {
    (void)start, (void)end;
    *milliseconds = 0;
    return OK;
}

/* --- operators: described, never run -------------------------------------------------------------------- */

static void *something(void) { return calloc(1, ALIGNMENT); }

void *aclCreateTensorDesc(int type, int dimensions, const int64_t *sizes, int format) {
    (void)type, (void)dimensions, (void)sizes, (void)format;
    return something();
}
void *aclCreateDataBuffer(void *data, size_t size) {
    (void)data, (void)size;
    return something();
}
void *aclopCreateAttr(void) { return something(); }

size_t aclGetCompileoptSize(int option) {
    (void)option;
    return 2;
}

int aclGetCompileopt(int option, char *value, size_t length) {
    (void)option;
    snprintf(value, length, "0");
    return OK;
}

const char *aclGetRecentErrMsg(void) { return "the stand-ins know no more"; }

/* --- collectives: every rank is alone and gets what it has ---------------------------------------------- */

static int new_communicator(void **communicator) { return new_handle(communicator); }

int HcclGetRootInfo(void *root) {
    (void)root;
    return OK;
}
int HcclCommInitRootInfo(uint32_t ranks, const void *root, uint32_t rank, void **communicator) {
    (void)ranks, (void)root, (void)rank;
    return new_communicator(communicator);
}
int HcclCommInitRootInfoConfig(uint32_t ranks, const void *root, uint32_t rank, const void *config,
                               void **communicator) {
    (void)config;
    return HcclCommInitRootInfo(ranks, root, rank, communicator);
}
int HcclGetCommName(void *communicator, char *name) {
    (void)communicator;
    strcpy(name, "stand-in");
    return OK;
}
int HcclGetCommAsyncError(void *communicator, int *error) { return answer(communicator, error, OK); }
const char *HcclGetErrorString(int code) { return code ? "an error of the stand-ins" : "no error"; }
