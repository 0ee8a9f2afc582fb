/* Sends the requests of a file on several connections of one thread, and never sleeps: `busy_load PORT CONNECTIONS SECONDS FILE`.

   A client that sleeps makes the server pay for waking it, which costs more than a decision. FILE has each request
   behind its length in decimal and a line end. Every connection has one request under way, and the next one in the
   file follows its answer. An answer is a head with `content-length`. What is no 200 counts as failed. The last line of
   the output has the figures as JSON: times are microseconds. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_ANSWER 262144
#define SLOTS 1000000 /* of the histogram: one a microsecond */

typedef struct { char *bytes; size_t length; } Request;
typedef struct { int socket; size_t filled; double began; char *answer; } Connection;

static Request *requests;
static size_t count, next_one;
static unsigned slots[SLOTS];

static void fail(const char *what) { perror(what); exit(1); }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void read_requests(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t length;
    if (!file) fail(path);
    while (fscanf(file, "%zu", &length) == 1) {
        fgetc(file);
        requests = realloc(requests, (count + 1) * sizeof *requests);
        requests[count].bytes = malloc(length);
        requests[count].length = length;
        if (fread(requests[count++].bytes, 1, length, file) != length) fail("a request is cut off");
    }
    fclose(file);
    if (!count) { fputs("no requests\n", stderr); exit(1); }
}

static void ask(Connection *one) {
    Request *request = &requests[next_one++ % count];
    size_t sent = 0;
    one->filled = 0;
    one->began = now();
    while (sent < request->length) {
        ssize_t n = send(one->socket, request->bytes + sent, request->length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) sent += (size_t)n;
        else if (errno != EAGAIN && errno != EINTR) fail("send");
    }
}

static void start(Connection *one, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    one->socket = socket(AF_INET, SOCK_STREAM, 0);
    one->answer = malloc(MOST_ANSWER + 1);
    if (connect(one->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(one->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    ask(one);
}

/* Returns 0 until a whole answer is there, and then its status. */
static int answered(Connection *one) {
    ssize_t n = recv(one->socket, one->answer + one->filled, MOST_ANSWER - one->filled, MSG_DONTWAIT);
    char *end, *length;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n <= 0) { fputs("a connection was closed, or an answer is too long\n", stderr); exit(1); }
    one->filled += (size_t)n;
    one->answer[one->filled] = 0;
    if (!(end = strstr(one->answer, "\r\n\r\n"))) return 0;
    length = strcasestr(one->answer, "\r\ncontent-length:");
    if (!length || length > end) { fputs("an answer without a length\n", stderr); exit(1); }
    if ((size_t)(end + 4 - one->answer) + strtoul(length + 17, NULL, 10) > one->filled) return 0;
    return atoi(one->answer + 9);
}

static unsigned at_share(double share, unsigned long total) {
    unsigned long seen = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if ((seen += slots[slot]) >= share * total) return slot;
    return SLOTS;
}

int main(int argc, char **argv) {
    if (argc != 5) { fputs("busy_load PORT CONNECTIONS SECONDS FILE\n", stderr); return 2; }
    int port = atoi(argv[1]), number = atoi(argv[2]);
    double seconds = atof(argv[3]), began, ended;
    unsigned long done = 0, failed = 0;
    Connection *all = calloc((size_t)number, sizeof *all);
    read_requests(argv[4]);
    began = ended = now();
    for (int i = 0; i < number; i++) start(&all[i], port);
    while (ended < began + seconds)
        for (int i = 0; i < number; i++) {
            int status = answered(&all[i]);
            if (!status) { ended = now(); continue; }
            ended = now();
            unsigned taken = (unsigned)((ended - all[i].began) * 1e6);
            slots[taken < SLOTS ? taken : SLOTS - 1]++;
            done++;
            failed += status != 200;
            ask(&all[i]);
        }
    printf("{\"requests\": %lu, \"seconds\": %.6f, \"failed\": %lu, \"p50\": %u, \"p99\": %u}\n", done, ended - began, failed,
           at_share(0.5, done), at_share(0.99, done));
    return 0;
}
