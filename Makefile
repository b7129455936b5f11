.POSIX:

CC = cc
CFLAGS = -O2
LDFLAGS =
LDLIBS =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
LIBEXECDIR = $(PREFIX)/libexec
TARGETS = all
PLOTS = size rounds map latency cdm sync hosts compare history

all: gbtestdisk

gbtestdisk: gbtestdisk.c
	$(CC) $(CFLAGS) $(LDFLAGS) -o gbtestdisk gbtestdisk.c $(LDLIBS)

check: gbtestdisk
	CC='$(CC)' sh tests/run

check-all: gbtestdisk
	CC='$(CC)' sh tests/run -a

check-cross: gbtestdisk
	TARGETS='$(TARGETS)' CC='$(CC)' sh tests/run cross.sh

bench: gbtestdisk
	CC='$(CC)' sh tests/bench

install: gbtestdisk
	mkdir -p "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(MANDIR)/man1"
	cp gbtestdisk "$(DESTDIR)$(BINDIR)/gbtestdisk"
	chmod 755 "$(DESTDIR)$(BINDIR)/gbtestdisk"
	cp gbtestdisk.1 "$(DESTDIR)$(MANDIR)/man1/gbtestdisk.1"
	chmod 644 "$(DESTDIR)$(MANDIR)/man1/gbtestdisk.1"
	mkdir -p "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk"
	cp plot/lib.sh "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk/lib.sh"
	chmod 644 "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk/lib.sh"
	for script in $(PLOTS); do \
		LIB="$(LIBEXECDIR)/gbtestdisk/lib.sh" PWD="$$PWD" awk ' \
		$$0 == ". \"$$here/lib.sh\"" { \
			lib = ENVIRON["LIB"]; \
			if (lib !~ /^\//) lib = ENVIRON["PWD"] "/" lib; \
			n = split(lib, part, "\047"); \
			$$0 = ". \047" part[1]; \
			for (i = 2; i <= n; i++) $$0 = $$0 "\047\\\047\047" part[i]; \
			$$0 = $$0 "\047"; \
		} \
		{ print }' plot/$$script >"$(DESTDIR)$(BINDIR)/gbtestdisk-$$script" && \
		chmod 755 "$(DESTDIR)$(BINDIR)/gbtestdisk-$$script" || exit 1; \
	done

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/gbtestdisk"
	rm -f "$(DESTDIR)$(MANDIR)/man1/gbtestdisk.1"
	for script in $(PLOTS); do \
		rm -f "$(DESTDIR)$(BINDIR)/gbtestdisk-$$script"; \
	done
	rm -f "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk/lib.sh"
	-rmdir "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk"

clean:
	rm -f gbtestdisk

.PHONY: all check check-all check-cross bench install uninstall clean
