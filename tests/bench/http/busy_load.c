/* Sends the requests of a file on several connections of one thread, and never sleeps:
   `busy_load PORT CONNECTIONS SECONDS RATE SECURE FILE`.

   A client that sleeps makes the server pay for waking it, which costs more than a decision. FILE has each request
   behind its length in decimal and a line end. With RATE 0, each connection has one request under way, and the next
   one in the file follows its answer. Else so many requests a second become due, in a Poisson process with a fixed
   seed. Each is sent on a free connection, and its latency counts from when it was due, so it includes the wait for
   one. SECURE is 1 for TLS, whose certificate is not checked: the caller has compared the answers before.

   An answer has a `content-length` or comes in chunks, of which the last is empty. What is no 200 counts as failed. A connection that the server closes, or
   that has no answer within PATIENCE after the end, counts as lost. Two lines are printed: `ready` once all connections
   are open, whereupon a line is awaited; and the figures as JSON, whereupon the end of the input is. So the caller can
   look at the server in between. Latencies are microseconds. `answered` includes what was answered after the end. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_ANSWER 262144
#define SLOTS 10000000 /* of the histogram: one a microsecond */
#define PATIENCE 10.0  /* seconds */
#define LAST_CHUNK "\r\n0\r\n\r\n"

typedef struct { char *bytes; size_t length; } Request;
typedef struct { int socket; SSL *tls; size_t filled; double due; char *answer; enum { FREE, BUSY, LOST } state; } Connection;

static Request *requests;
static size_t count, next_one;
static unsigned *slots;
static unsigned long answered, failed, lost, timed;

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

static void connect_to(Connection *one, int port, SSL_CTX *context) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    one->socket = socket(AF_INET, SOCK_STREAM, 0);
    one->answer = malloc(MOST_ANSWER + 1);
    if (connect(one->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(one->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (context) {
        one->tls = SSL_new(context);
        SSL_set_fd(one->tls, one->socket);
        if (SSL_connect(one->tls) != 1) { fputs("no TLS connection\n", stderr); exit(1); }
    }
    fcntl(one->socket, F_SETFL, O_NONBLOCK);
}

/* Returns the bytes sent or received, 0 if that must be tried again, or -1 if the connection is at its end. */
static ssize_t moved(Connection *one, ssize_t n) {
    if (n > 0) return n;
    if (one->tls) {
        int error = SSL_get_error(one->tls, (int)n);
        return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static ssize_t give(Connection *one, const char *bytes, size_t length) {
    return moved(one, one->tls ? SSL_write(one->tls, bytes, (int)length) : send(one->socket, bytes, length, MSG_NOSIGNAL));
}

static ssize_t take(Connection *one) {
    char *place = one->answer + one->filled;
    size_t room = MOST_ANSWER - one->filled;
    return moved(one, one->tls ? SSL_read(one->tls, place, (int)room) : recv(one->socket, place, room, 0));
}

static void lose(Connection *one) { one->state = LOST; lost++; }

static void ask(Connection *one, double due) {
    Request *request = &requests[next_one++ % count];
    size_t sent = 0;
    ssize_t n = 0;
    one->filled = 0;
    one->due = due;
    one->state = BUSY;
    while (sent < request->length && (n = give(one, request->bytes + sent, request->length - sent)) >= 0) sent += (size_t)n;
    if (n < 0) lose(one);
}

/* Returns the status of a whole answer, or 0. */
static int status_of(Connection *one) {
    char *end, *length;
    one->answer[one->filled] = 0;
    if (!(end = strstr(one->answer, "\r\n\r\n"))) return 0;
    length = strcasestr(one->answer, "\r\ncontent-length:");
    if (!length || length > end) {
        if (!(length = strcasestr(one->answer, "\r\ntransfer-encoding: chunked")) || length > end) {
            fputs("an answer without a length\n", stderr);
            exit(1);
        }
        return strcmp(one->answer + one->filled - strlen(LAST_CHUNK), LAST_CHUNK) ? 0 : atoi(one->answer + 9);
    }
    if ((size_t)(end + 4 - one->answer) + strtoul(length + 17, NULL, 10) > one->filled) return 0;
    return atoi(one->answer + 9);
}

/* Takes what came, and returns whether an answer is complete now. */
static int look(Connection *one) {
    ssize_t n = take(one);
    int status;
    if (n < 0 || one->filled + (size_t)n == MOST_ANSWER) { lose(one); return 0; }
    one->filled += (size_t)n;
    if (!n || !(status = status_of(one))) return 0;
    one->state = FREE;
    answered++;
    failed += status != 200;
    return 1;
}

static double gap(double rate) { return rate ? -log(1 - drand48()) / rate : 0; }

static unsigned at_share(double share) {
    unsigned long seen = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if ((seen += slots[slot]) >= share * timed) return slot;
    return SLOTS;
}

int main(int argc, char **argv) {
    if (argc != 7) { fputs("busy_load PORT CONNECTIONS SECONDS RATE SECURE FILE\n", stderr); return 2; }
    int port = atoi(argv[1]), number = atoi(argv[2]);
    double seconds = atof(argv[3]), rate = atof(argv[4]), began, at, due;
    SSL_CTX *context = atoi(argv[5]) ? SSL_CTX_new(TLS_client_method()) : NULL;
    Connection *all = calloc((size_t)number, sizeof *all);
    slots = calloc(SLOTS, sizeof *slots);
    read_requests(argv[6]);
    for (int i = 0; i < number; i++) connect_to(&all[i], port, context);
    puts("ready");
    fflush(stdout);
    getchar();
    due = began = at = now();
    while (at < began + seconds && lost < (unsigned long)number)
        for (int i = 0; i < number; i++) {
            if (all[i].state == BUSY && look(&all[i])) {
                unsigned taken = (unsigned)((now() - all[i].due) * 1e6);
                slots[taken < SLOTS ? taken : SLOTS - 1]++;
                timed++;
            }
            at = now();
            if (all[i].state == FREE && due <= at) {
                ask(&all[i], rate ? due : at);
                due += gap(rate);
            }
        }
    double ended = at;
    for (int busy = 1; busy && now() < ended + PATIENCE;) {
        busy = 0;
        for (int i = 0; i < number; i++) busy |= all[i].state == BUSY && !look(&all[i]) && all[i].state == BUSY;
    }
    for (int i = 0; i < number; i++) if (all[i].state == BUSY) lose(&all[i]);
    printf("{\"requests\": %lu, \"seconds\": %.6f, \"answered\": %lu, \"failed\": %lu, \"lost\": %lu, "
           "\"p50\": %u, \"p99\": %u, \"p999\": %u}\n",
           timed, ended - began, answered, failed, lost, at_share(0.5), at_share(0.99), at_share(0.999));
    fflush(stdout);
    while (getchar() != EOF);
    return 0;
}
