// A parallel compressor (table I of "Reduction for compositional verification of multi-threaded programs",
// "pbzip2-safe"): the structure of a block-sorting compressor that uses several processors, written for this
// project.
//
// The main thread is the producer: it cuts the input into blocks and puts them into a bounded queue. Two consumers
// take blocks out of the queue, compress them and put the results where the writer expects them. The writer waits for
// one block after the other and appends it to the output. When all have ended, the producer takes the queue down.
//
// Data is represented by checksums: a block of input has one, and what compression leaves of a block is a function
// of it. The model keeps the control flow of queue, consumers and writer: waiting on conditions, being woken up in
// vain, the end of the input, and the order in which results are written. It leaves out the bytes.
//
// Claimed is that the queue never overflows and is never empty when something is taken out of it, that nobody uses
// it after it was taken down, that each block is compressed once, and that the output has all blocks in their order.
#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

// ---- The size of the model --------------------------------------------------------------------------

#define QUEUE_SIZE 2
#define MOST_BLOCKS 3
#define BLOCK_SIZE 9 // in units of 100,000 bytes
#define NO_BLOCK -1

// ---- The input --------------------------------------------------------------------------------------

int input_size;
int input_position;

// How many blocks of input there are.
int blocks_of(int size) { return (size + BLOCK_SIZE - 1) / BLOCK_SIZE; }

void open_input(void) {
    input_size = 1 + __VERIFIER_nondet_uchar() % (MOST_BLOCKS * BLOCK_SIZE);
    input_position = 0;
}

// The size of the next block, 0 at the end of the input.
int read_block(void) {
    int rest = input_size - input_position;
    int size = rest < BLOCK_SIZE ? rest : BLOCK_SIZE;
    input_position = input_position + size;
    return size;
}

// ---- What happens to a block ------------------------------------------------------------------------

// What stands for the contents of a block.
int checksum(int block, int size) { return 100 * block + size; }

// What compression leaves of that.
int compress(int contents) { return contents + 1; }

// ---- The queue between the producer and the consumers -----------------------------------------------

struct queue {
    int numbers[QUEUE_SIZE];
    int contents[QUEUE_SIZE];
    int head;
    int tail;
    int length;
    _Bool exists;
    pthread_mutex_t lock;
    pthread_cond_t not_full;
    pthread_cond_t not_empty;
};

struct queue fifo;

// No more blocks will come; protected by the lock of the queue.
_Bool producer_done;

void queue_init(void) {
    fifo.head = 0;
    fifo.tail = 0;
    fifo.length = 0;
    fifo.exists = 1;
    pthread_mutex_init(&fifo.lock, 0);
    pthread_cond_init(&fifo.not_full, 0);
    pthread_cond_init(&fifo.not_empty, 0);
}

// With the lock.
void queue_add(int number, int contents) {
    assert(fifo.exists);
    assert(fifo.length < QUEUE_SIZE);
    fifo.numbers[fifo.tail] = number;
    fifo.contents[fifo.tail] = contents;
    fifo.tail = fifo.tail + 1;
    if (fifo.tail == QUEUE_SIZE) {
        fifo.tail = 0;
    }
    fifo.length = fifo.length + 1;
}

// With the lock: the number of a block, and its contents.
int queue_take(int *contents) {
    assert(fifo.exists);
    assert(fifo.length > 0);
    int number = fifo.numbers[fifo.head];
    *contents = fifo.contents[fifo.head];
    fifo.head = fifo.head + 1;
    if (fifo.head == QUEUE_SIZE) {
        fifo.head = 0;
    }
    fifo.length = fifo.length - 1;
    return number;
}

void queue_delete(void) {
    assert(fifo.length == 0);
    fifo.exists = 0;
    pthread_mutex_destroy(&fifo.lock);
    pthread_cond_destroy(&fifo.not_full);
    pthread_cond_destroy(&fifo.not_empty);
}

// ---- Between the consumers and the writer -----------------------------------------------------------

int compressed[MOST_BLOCKS];
_Bool is_compressed[MOST_BLOCKS];
int number_of_blocks;
pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t something_compressed = PTHREAD_COND_INITIALIZER;

// A consumer has done a block.
void deliver(int number, int result) {
    pthread_mutex_lock(&output_lock);
    assert(number >= 0 && number < number_of_blocks);
    assert(!is_compressed[number]);
    compressed[number] = result;
    is_compressed[number] = 1;
    pthread_cond_signal(&something_compressed);
    pthread_mutex_unlock(&output_lock);
}

// The writer needs the next block.
int await_result(int number) {
    pthread_mutex_lock(&output_lock);
    while (!is_compressed[number]) {
        pthread_cond_wait(&something_compressed, &output_lock);
    }
    int result = compressed[number];
    pthread_mutex_unlock(&output_lock);
    return result;
}

// ---- The output -------------------------------------------------------------------------------------

int output_blocks;

void append(int number, int result) {
    int rest = input_size - number * BLOCK_SIZE;
    int size = rest < BLOCK_SIZE ? rest : BLOCK_SIZE;
    assert(number == output_blocks);
    assert(result == compress(checksum(number, size)));
    output_blocks = output_blocks + 1;
}

// ---- The threads ------------------------------------------------------------------------------------

// Puts all blocks into the queue.
void produce(void) {
    int number = 0;
    int size = read_block();
    while (size > 0) {
        int contents = checksum(number, size);
        pthread_mutex_lock(&fifo.lock);
        while (fifo.length == QUEUE_SIZE) {
            pthread_cond_wait(&fifo.not_full, &fifo.lock);
        }
        queue_add(number, contents);
        pthread_cond_signal(&fifo.not_empty);
        pthread_mutex_unlock(&fifo.lock);
        number = number + 1;
        size = read_block();
    }
    pthread_mutex_lock(&fifo.lock);
    producer_done = 1;
    pthread_cond_broadcast(&fifo.not_empty);
    pthread_mutex_unlock(&fifo.lock);
    assert(number == number_of_blocks);
}

// The next block of the queue, or `NO_BLOCK` if there will be none.
int next_block(int *contents) {
    int number = NO_BLOCK;
    pthread_mutex_lock(&fifo.lock);
    while (fifo.length == 0 && !producer_done) {
        pthread_cond_wait(&fifo.not_empty, &fifo.lock);
    }
    if (fifo.length > 0) {
        number = queue_take(contents);
        pthread_cond_signal(&fifo.not_full);
    }
    pthread_mutex_unlock(&fifo.lock);
    return number;
}

void *consumer(void *unused) {
    int contents = 0;
    int number = next_block(&contents);
    while (number != NO_BLOCK) {
        int result = compress(contents);
        deliver(number, result);
        number = next_block(&contents);
    }
    return 0;
}

void *writer(void *unused) {
    for (int number = 0; number < number_of_blocks; number++) {
        int result = await_result(number);
        append(number, result);
    }
    return 0;
}

// ---- The program ------------------------------------------------------------------------------------

int main(void) {
    pthread_t first, second, output;
    open_input();
    number_of_blocks = blocks_of(input_size);
    assert(number_of_blocks > 0 && number_of_blocks <= MOST_BLOCKS);
    queue_init();

    pthread_create(&first, 0, consumer, 0);
    pthread_create(&second, 0, consumer, 0);
    pthread_create(&output, 0, writer, 0);

    produce();

    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_join(output, 0);

    queue_delete();
    assert(output_blocks == number_of_blocks);
    return 0;
}
