// The character device driver "scull" of Linux Device Drivers (3rd edition, chapters 3 and 6; table 1,
// "Scull"): a memory area that is read and written like a file. Every file operation that touches the
// area does so between taking and giving back the lock of the device; the property is that reads and
// writes are really alone there.
//
// The area is a list of quantum sets, each of which holds a number of quanta of bytes. The model keeps
// the arithmetic of positions, sizes and limits and the control flow of the operations: errors,
// permissions, interrupted waits, partial transfers, the walk along the list. It leaves out the bytes
// themselves. Two processes use one device at the same time, each through a file of its own.
//
// The lock holds the number of its owner, 0 if it is free. With `-D SMALL`, requests are the
// smallest and the largest of few, so that all states can be enumerated.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

// ---- The limits of the model ------------------------------------------------------------------------

#ifdef SMALL
#define SCULL_QUANTUM 1
#define SCULL_QSET 1
#define LARGEST_REQUEST 1
#else
#define SCULL_QUANTUM 4000
#define SCULL_QSET 1000
#define LARGEST_REQUEST 1000000000
#endif

// ---- What the kernel defines ------------------------------------------------------------------------

#define EPERM 1
#define EINTR 4
#define EFAULT 14
#define ENOMEM 12
#define EINVAL 22
#define ENOTTY 25
#define ERESTARTSYS 512

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2

#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

#define SCULL_IOCRESET 0
#define SCULL_IOCSQUANTUM 1
#define SCULL_IOCTQUANTUM 2
#define SCULL_IOCGQUANTUM 3
#define SCULL_IOCQQUANTUM 4
#define SCULL_IOCXQUANTUM 5
#define SCULL_IOCHQUANTUM 6
#define SCULL_IOCSQSET 7
#define SCULL_IOCTQSET 8
#define SCULL_IOCGQSET 9
#define SCULL_IOCQQSET 10
#define SCULL_IOCXQSET 11
#define SCULL_IOCHQSET 12
#define SCULL_IOC_MAXNR 14

// ---- The device -------------------------------------------------------------------------------------

// The defaults that `ioctl` changes; shared by all devices, and not protected by a lock of theirs.
int scull_quantum = SCULL_QUANTUM;
int scull_qset = SCULL_QSET;

struct scull_dev {
    int lock;    // the owner of the semaphore, 0 if it is free
    int sets;    // how many quantum sets the list has
    int quanta;  // how many quanta are allocated in the last of them
    int quantum; // the size of a quantum
    int qset;    // the number of quanta in a set
    int size;    // how many bytes are stored
    int user;    // who reads or writes the area at the moment
};

struct scull_dev device = {0, 0, 0, SCULL_QUANTUM, SCULL_QSET, 0, 0};

// An open file, which belongs to one process.
struct file {
    int mode;  // O_RDONLY, O_WRONLY or O_RDWR
    int pos;   // where the next transfer starts
    int error; // what the last operation that failed said
};

// ---- Helpers ----------------------------------------------------------------------------------------

static int any_between(int low, int high) {
#ifdef SMALL
    return __VERIFIER_nondet_bool() ? low : high;
#else
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(low <= value && value <= high);
    return value;
#endif
}

// Waits for the semaphore, unless a signal comes first.
static int down_interruptible(int me) {
    if (__VERIFIER_nondet_bool())
        return -EINTR;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(device.lock == 0);
    device.lock = me;
    __VERIFIER_atomic_end();
    return 0;
}

static void up(void) {
    device.lock = 0;
}

// The transfers between the area and the memory of the process. `me` is in the area from the beginning
// of a transfer to its end; anybody else who comes in between has no business there.
static void enter_area(int me) {
    device.user = me;
}

static void leave_area(int me) {
    if (device.user != me)
        reach_error();
    if (device.lock != me)
        reach_error();
}

static int copy_to_user(int me, int count) {
    enter_area(me);
    int failed = __VERIFIER_nondet_bool() ? count : 0;
    leave_area(me);
    return failed;
}

static int copy_from_user(int me, int count) {
    enter_area(me);
    int failed = __VERIFIER_nondet_bool() ? count : 0;
    leave_area(me);
    return failed;
}

// ---- The memory of the device -----------------------------------------------------------------------

// Frees everything; whoever calls this holds the semaphore.
static void scull_trim(int me) {
    enter_area(me);
    int set = device.sets;
    while (set > 0) {
        device.quanta = 0;
        set = set - 1;
        device.sets = set;
    }
    device.size = 0;
    device.quantum = scull_quantum;
    device.qset = scull_qset;
    leave_area(me);
}

// Goes to the set with the given number, making those on the way that are missing. Zero if there is no
// memory for them.
static int scull_follow(int me, int item) {
    int at = 0;
    enter_area(me);
    if (device.sets == 0) {
        if (__VERIFIER_nondet_bool()) {
            leave_area(me);
            return 0;
        }
        device.sets = 1;
        device.quanta = 0;
    }
    while (at < item) {
        if (at + 1 == device.sets) {
            if (__VERIFIER_nondet_bool()) {
                leave_area(me);
                return 0;
            }
            device.sets = device.sets + 1;
            device.quanta = 0;
        }
        at = at + 1;
    }
    leave_area(me);
    return 1;
}

// ---- Open and release -------------------------------------------------------------------------------

static int scull_open(int me, struct file *filp, int flags) {
    filp->mode = flags;
    filp->pos = 0;
    filp->error = 0;
    // Opening for writing only empties the device.
    if (filp->mode == O_WRONLY) {
        if (down_interruptible(me) != 0)
            return -ERESTARTSYS;
        scull_trim(me);
        up();
    }
    return 0;
}

static int scull_release(struct file *filp) {
    filp->pos = 0;
    return 0;
}

// ---- Read and write ---------------------------------------------------------------------------------

static int scull_read(int me, struct file *filp, int count) {
    int itemsize, item, rest, position, retval = 0;

    if (filp->mode == O_WRONLY)
        return -EPERM;
    if (down_interruptible(me) != 0)
        return -ERESTARTSYS;
    enter_area(me);
    if (filp->pos >= device.size)
        goto out;
    if (filp->pos + count > device.size)
        count = device.size - filp->pos;

    // Which set and which quantum, and where in it: the position is taken apart.
    itemsize = SCULL_QUANTUM * SCULL_QSET;
    item = filp->pos / itemsize;
    rest = filp->pos % itemsize;
    position = rest % SCULL_QUANTUM;
    leave_area(me);

    // A hole in the file reads as its end.
    if (!scull_follow(me, item) || device.sets <= item)
        goto nothing;
    if (rest / SCULL_QUANTUM > device.quanta)
        goto nothing;

    // Only up to the end of this quantum.
    if (count > SCULL_QUANTUM - position)
        count = SCULL_QUANTUM - position;
    if (copy_to_user(me, count) > 0) {
        retval = -EFAULT;
        goto nothing;
    }
    filp->pos = filp->pos + count;
    retval = count;
    goto nothing;

out:
    leave_area(me);
nothing:
    up();
    return retval;
}

static int scull_write(int me, struct file *filp, int count) {
    int itemsize, item, rest, position, retval = -ENOMEM;

    if (filp->mode == O_RDONLY)
        return -EPERM;
    if (down_interruptible(me) != 0)
        return -ERESTARTSYS;

    itemsize = SCULL_QUANTUM * SCULL_QSET;
    item = filp->pos / itemsize;
    rest = filp->pos % itemsize;
    position = rest % SCULL_QUANTUM;

    // Up to the right set, which is made if it is not there.
    if (!scull_follow(me, item))
        goto out;
    enter_area(me);
    if (device.quanta == 0) {
        if (__VERIFIER_nondet_bool())
            goto leave;
        device.quanta = 1;
    }
    while (device.quanta <= rest / SCULL_QUANTUM) {
        if (__VERIFIER_nondet_bool())
            goto leave;
        device.quanta = device.quanta + 1;
    }
    leave_area(me);

    // Only up to the end of this quantum.
    if (count > SCULL_QUANTUM - position)
        count = SCULL_QUANTUM - position;
    if (copy_from_user(me, count) > 0) {
        retval = -EFAULT;
        goto out;
    }
    filp->pos = filp->pos + count;
    retval = count;

    // The file has grown if this was behind its end.
    enter_area(me);
    if (device.size < filp->pos)
        device.size = filp->pos;
leave:
    leave_area(me);
out:
    up();
    return retval;
}

// ---- Seeking ----------------------------------------------------------------------------------------

static int scull_llseek(int me, struct file *filp, int off, int whence) {
    int newpos;
    switch (whence) {
    case SEEK_SET:
        newpos = off;
        break;
    case SEEK_CUR:
        if (off > LARGEST_REQUEST - filp->pos)
            return -EINVAL;
        newpos = filp->pos + off;
        break;
    case SEEK_END:
        if (down_interruptible(me) != 0)
            return -ERESTARTSYS;
        enter_area(me);
        newpos = device.size;
        leave_area(me);
        up();
        if (off > LARGEST_REQUEST - newpos)
            return -EINVAL;
        newpos = newpos + off;
        break;
    default:
        return -EINVAL;
    }
    if (newpos < 0)
        return -EINVAL;
    filp->pos = newpos;
    return newpos;
}

// ---- Settings ---------------------------------------------------------------------------------------

// The defaults are for the next time that a device is emptied; changing them needs a permission.
static int scull_ioctl(int command, int argument, int is_administrator) {
    int old, retval = 0;

    if (command < 0 || command > SCULL_IOC_MAXNR)
        return -ENOTTY;
    if (argument <= 0)
        return -EFAULT;
    switch (command) {
    case SCULL_IOCRESET:
        scull_quantum = SCULL_QUANTUM;
        scull_qset = SCULL_QSET;
        break;
    case SCULL_IOCSQUANTUM:
    case SCULL_IOCTQUANTUM:
        if (!is_administrator)
            return -EPERM;
        scull_quantum = argument;
        break;
    case SCULL_IOCGQUANTUM:
    case SCULL_IOCQQUANTUM:
        retval = scull_quantum;
        break;
    case SCULL_IOCXQUANTUM:
    case SCULL_IOCHQUANTUM:
        if (!is_administrator)
            return -EPERM;
        old = scull_quantum;
        scull_quantum = argument;
        retval = old;
        break;
    case SCULL_IOCSQSET:
    case SCULL_IOCTQSET:
        if (!is_administrator)
            return -EPERM;
        scull_qset = argument;
        break;
    case SCULL_IOCGQSET:
    case SCULL_IOCQQSET:
        retval = scull_qset;
        break;
    case SCULL_IOCXQSET:
    case SCULL_IOCHQSET:
        if (!is_administrator)
            return -EPERM;
        old = scull_qset;
        scull_qset = argument;
        retval = old;
        break;
    default:
        return -ENOTTY;
    }
    return retval;
}

// ---- The processes ----------------------------------------------------------------------------------

// Remembers what went wrong, as the C library would do.
static void note(struct file *filp, int result) {
    if (result < 0)
        filp->error = -result;
}

// Fills the device from its beginning, and looks at what it has written.
void *writing_process(void *unused) {
    const int me = 1;
    struct file file;
    if (scull_open(me, &file, __VERIFIER_nondet_bool() ? O_WRONLY : O_RDWR) != 0)
        return 0;
    note(&file, scull_write(me, &file, any_between(1, LARGEST_REQUEST)));
    note(&file, scull_llseek(me, &file, any_between(0, LARGEST_REQUEST), SEEK_SET));
    note(&file, scull_read(me, &file, any_between(1, LARGEST_REQUEST)));
    scull_release(&file);
    return 0;
}

// Appends to what is there, reads it from the beginning, and changes the settings.
void *reading_process(void *unused) {
    const int me = 2;
    struct file file;
    if (scull_open(me, &file, __VERIFIER_nondet_bool() ? O_RDONLY : O_RDWR) != 0)
        return 0;
    note(&file, scull_llseek(me, &file, 0, SEEK_END));
    note(&file, scull_write(me, &file, any_between(1, LARGEST_REQUEST)));
    note(&file, scull_llseek(me, &file, 0, SEEK_SET));
    note(&file, scull_read(me, &file, any_between(1, LARGEST_REQUEST)));
    note(&file, scull_ioctl(any_between(0, SCULL_IOC_MAXNR), any_between(1, LARGEST_REQUEST), 1));
    scull_release(&file);
    return 0;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, 0, writing_process, 0);
    pthread_create(&reader, 0, reading_process, 0);
    pthread_join(writer, 0);
    pthread_join(reader, 0);
    return 0;
}
