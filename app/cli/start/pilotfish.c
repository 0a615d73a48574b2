// What a shell or an agent starts as pilotfish. It sends the commands that an
// agent gives all day, as they are mostly written, to the running app and prints
// what went well; for anything else (an option, another command, a mistake, no app
// that runs, a reply with more to say) it becomes pilotfish-whole beside it. An
// agent waits for this program at every step: a program in Go is 2 ms of each
// (its runtime starts threads, looks every 20 µs whether there is something to do
// while the browser needs the processor, and ends them), this one 0.1.
//
// VERSION is set by the build. The figures and names that the app has, too, are
// compared with it by a test (quick/plain_test.go).

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "json.h"

#define STATE_VERSION 1
#define PATIENCE_S 332         // of a command: the person may be asked first
#define MAX_REPLY (256u << 20) // bytes
#define ENV_URL "PILOTFISH_URL"
#define ENV_TOKEN "PILOTFISH_TOKEN"
#define ENV_HOME "PILOTFISH_HOME"
#define ENV_REPLY "PILOTFISH_REPLY"
#define ENDPOINT "/pilotfish.json"
#define WHOLE "pilotfish-whole"

// The commands that are known here, with the arguments that the words behind them
// are given to.
static const struct {
	const char *name, *arguments[2];
} plain[] = {
	{"click", {"target"}},
	{"dblclick", {"target"}},
	{"hover", {"target"}},
	{"check", {"target"}},
	{"uncheck", {"target"}},
	{"focus", {"target"}},
	{"fill", {"target", "value"}},
	{"type", {"target", "value"}},
	{"select", {"target", "value"}},
	{"press", {"key"}},
	{"goto", {"url"}},
	{"snapshot", {0}},
	{"tabs", {0}},
	{"url", {0}},
	{"title", {0}},
	{"text", {0}},
	{"back", {0}},
	{"forward", {0}},
	{"reload", {0}},
};

// slurp reads a small file; false when it cannot be read, or is no small one.
static bool slurp(int fd, char *into, size_t room, size_t *size) {
	for (*size = 0; *size < room;) {
		ssize_t n = read(fd, into + *size, room - *size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		*size += (size_t)n;
	}
	return false;
}

// started is when a process began: field 22 of /proc/PID/stat (proc(5)). A pid
// alone may have been given to another process since.
static bool started(uint64_t pid, uint64_t when) {
	char path[64], stat[4096];
	size_t size;
	snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool read = slurp(fd, stat, sizeof stat - 1, &size);
	close(fd);
	stat[size] = 0;
	// The program's name, field 2, may have anything in it.
	char *at = strrchr(stat, ')');
	uint64_t is;
	for (int field = 2; read && at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return read && at && number((struct span){at + 1, at + 1 + strspn(at + 1, "0123456789")}, &is) && is == when;
}

// folder is the folder of the app's state, as config.UserDirs has it; false where
// that takes more to find out.
static bool folder(struct text *path) {
	const char *home = getenv(ENV_HOME), *state = getenv("XDG_STATE_HOME"), *user = getenv("HOME");
	if (home && *home)
		return *home == '/' && say(path, home) && say(path, "/state");
	if (state && *state == '/')
		return say(path, state) && say(path, "/pilotfish");
	return user && *user == '/' && say(path, user) && say(path, "/.local/state/pilotfish");
}

// token says whether something can stand in a header.
static bool fits(const char *token) {
	for (const char *c = token; *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;
	return *token != 0;
}

// find finds the running app as the whole program does: inside an agent by the
// agent's own token, elsewhere by the file that only this user can read.
static bool find(uint64_t *port, struct text *token) {
	const char *url = getenv(ENV_URL), *own = getenv(ENV_TOKEN), *base = "http://127.0.0.1:";
	if (url && own && *url && *own) {
		if (strncmp(url, base, strlen(base)))
			return false;
		const char *at = url + strlen(base);
		return number((struct span){at, at + strlen(at)}, port) && *port && *port <= 65535 && fits(own) && say(token, own);
	}
	struct text path = {0};
	char file[4096];
	size_t size;
	if (!folder(&path) || !add(&path, ENDPOINT, sizeof ENDPOINT))
		return false;
	int fd = open(path.at, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	if (fd < 0)
		return false;
	bool read = !fstat(fd, &info) && info.st_uid == geteuid() && !(info.st_mode & 077) && slurp(fd, file, sizeof file, &size);
	close(fd);
	if (!read)
		return false;
	struct span all = {file, file + size};
	bool whole;
	uint64_t version, pid, start;
	if (!number(member(all, "version", &whole), &version) || !whole || version != STATE_VERSION || member(all, "ending", &whole).at)
		return false;
	return number(member(all, "port", &whole), port) && *port && *port <= 65535 && number(member(all, "pid", &whole), &pid) &&
	       number(member(all, "startTime", &whole), &start) && started(pid, start) && words(token, member(all, "token", &whole)) &&
	       add(token, "", 1) && fits(token->at) && strlen(token->at) == --token->size;
}

// dial connects to a port of this machine; below 0 when nobody listens.
static int dial(uint64_t port) {
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval limit = {.tv_sec = PATIENCE_S};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) || connect(fd, (struct sockaddr *)&to, sizeof to))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

// ask writes the request of a command. HTTP 1.0 has no parts that would have to be
// put together, and its reply ends with the connection.
static bool ask(struct text *request, char **args, int count, uint64_t port, const struct text *token) {
	struct text body = {0};
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		if (strcmp(args[0], plain[i].name))
			continue;
		int wanted = !plain[i].arguments[0] ? 0 : plain[i].arguments[1] ? 2 : 1;
		if (count - 1 != wanted || !say(&body, "{\"command\":") || !quote(&body, args[0]))
			return false;
		for (int k = 0; k < wanted; k++)
			if (args[k + 1][0] == '-' || !say(&body, k ? "," : ",\"args\":{") || !quote(&body, plain[i].arguments[k]) || !say(&body, ":") ||
			    !quote(&body, args[k + 1]))
				return false;
		if (wanted && !say(&body, "}"))
			return false;
		char head[256], length[96];
		snprintf(head, sizeof head, "POST /command HTTP/1.0\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer ", (unsigned)port);
		snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n", body.size + 1);
		return say(&body, "}") && say(request, head) && add(request, token->at, token->size) &&
		       say(request, "\r\nContent-Type: application/json\r\nAccept: text/event-stream, application/json\r\n") && say(request, length) &&
		       add(request, body.at, body.size);
	}
	return false;
}

// The codes of errors that a page is the reason of: the exit code is 1.
static const char *const ordinary[] = {
	"no_element", "ambiguous", "gone", "changed", "disabled", "hidden", "inert", "covered", "not_actable", "dialog", "navigation",
};

// reply is the data of the one event that a plain reply has, in what was read so
// far. more says that it may still come.
static struct span reply(const struct text *read, bool *more) {
	static const char status[] = "HTTP/1.", before[] = "event: reply\ndata: ";
	struct span none = {0};
	*more = false;
	if (read->size >= 13 && (memcmp(read->at, status, 7) || memcmp(read->at + 8, " 200 ", 5)))
		return none;
	char *head = memmem(read->at, read->size, "\r\n\r\n", 4);
	if (!head) {
		*more = read->size < 64 << 10;
		return none;
	}
	if (!memmem(read->at, (size_t)(head - read->at) + 2, "\r\nContent-Type: text/event-stream\r\n", 35))
		return none;
	const char *at = head + 4, *end = read->at + read->size;
	size_t there = (size_t)(end - at), wanted = sizeof before - 1;
	if (memcmp(at, before, there < wanted ? there : wanted))
		return none;
	const char *line = there > wanted ? memchr(at + wanted, '\n', there - wanted) : NULL;
	if (!line) {
		*more = read->size < MAX_REPLY;
		return none;
	}
	return (struct span){at + wanted, line};
}

// write_all writes a text to a descriptor; false when nothing of it was taken.
static bool write_all(int fd, const struct text *t) {
	for (size_t done = 0; done < t->size;) {
		ssize_t n = write(fd, t->at + done, t->size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !done)
			return false;
		if (n < 0)
			exit(1);
		done += (size_t)n;
	}
	return true;
}

// refused prints why a page did not do it; false for any other reply.
static bool refused(struct span data) {
	struct text out = {0};
	bool whole, error;
	struct span why = member(data, "error", &whole), hint = member(why, "hint", &error);
	struct span code = member(why, "code", &error);
	// With data its text tells what was done before it failed. Commands that help
	// are named by the whole program.
	if (member(why, "next", &error).at)
		return false;
	if (!whole || !error || isatty(STDERR_FILENO) || !is(member(data, "ok", &whole), "false") || member(data, "data", &whole).at)
		return false;
	for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) {
		size_t n = strlen(ordinary[i]);
		if ((size_t)(code.end - code.at) != n + 2 || memcmp(code.at + 1, ordinary[i], n))
			continue;
		if (!say(&out, "pilotfish: ") || !words(&out, member(why, "message", &error)) || !say(&out, "\n"))
			return false;
		if (hint.at && (!say(&out, "  ") || !words(&out, hint) || !say(&out, "\n")))
			return false;
		return write_all(STDERR_FILENO, &out);
	}
	return false;
}

// print writes what a command says that went well; false for any other reply.
static bool print(struct span data) {
	struct text out = {0};
	bool whole;
	if (!is(member(data, "ok", &whole), "true") || !whole || !words(&out, member(data, "text", &whole)))
		return false;
	if (out.size && out.at[out.size - 1] != '\n' && !say(&out, "\n"))
		return false;
	return write_all(STDOUT_FILENO, &out); // or the whole program says why not
}

// become is the whole program from here on, with the same arguments.
static int become(char **argv) {
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof WHOLE);
	char *name = n > 0 ? (path[n] = 0, strrchr(path, '/')) : NULL;
	if (name) {
		strcpy(name + 1, WHOLE);
		argv[0] = path;
		execv(path, argv);
	}
	fprintf(stderr, "pilotfish: the program " WHOLE " cannot be started beside pilotfish: %s\n  install Pilotfish again, or run `make build`\n",
	        strerror(errno));
	return 1;
}

// hand gives the reply to the whole program: what was read of it, and where the
// rest comes from, or the error with which that ended.
static int hand(char **argv, int conn, const struct text *read, int failed) {
	char told[64];
	int so = memfd_create("reply", 0);
	size_t done = 0;
	while (so >= 0 && done < read->size) {
		ssize_t n = write(so, read->at + done, read->size - done);
		if (n < 0)
			break;
		done += (size_t)n;
	}
	if (so < 0 || done < read->size || lseek(so, 0, SEEK_SET) || fcntl(conn, F_SETFD, 0)) {
		fprintf(stderr, "pilotfish: the reply cannot be handed over: %s\n  the command was sent: look what became of it\n", strerror(errno));
		return 1;
	}
	snprintf(told, sizeof told, "%d,%d,%d", so, conn, failed);
	if (setenv(ENV_REPLY, told, 1))
		return 1;
	return become(argv);
}

int main(int argc, char **argv) {
	unsetenv(ENV_REPLY); // of a pilotfish that this one was started by
	if (argc == 2 && !strcmp(argv[1], "version") && !isatty(STDOUT_FILENO))
		return puts("pilotfish " VERSION) < 0 || fflush(stdout);
	struct text token = {0}, request = {0}, read = {0};
	uint64_t port;
	// What a page wrote is made safe for a terminal by the whole program.
	if (argc < 2 || isatty(STDOUT_FILENO) || !find(&port, &token) || !ask(&request, argv + 1, argc - 1, port, &token))
		return become(argv);
	int conn = dial(port);
	if (conn < 0)
		return become(argv);
	// An app that refuses a body answers before it has read all of it.
	for (size_t done = 0; done < request.size;) {
		ssize_t n = send(conn, request.at + done, request.size - done, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			break;
		done += n < 0 ? 0 : (size_t)n;
	}
	for (;;) {
		if (!grow(&read, 4096))
			return hand(argv, conn, &read, 0);
		ssize_t n = recv(conn, read.at + read.size, read.room - read.size, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hand(argv, conn, &read, n < 0 ? errno : 0);
		read.size += (size_t)n;
		bool more;
		struct span data = reply(&read, &more);
		if (data.at && print(data))
			return 0;
		if (data.at && refused(data))
			return 1;
		if (!more)
			return hand(argv, conn, &read, 0);
	}
}
