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
PLOTS = size rounds map latency cdm sync hosts compare

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
	for script in $(PLOTS) lib.sh; do \
		cp plot/$$script "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk/$$script" || exit 1; \
	done
	cd "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk" && chmod 755 $(PLOTS) && chmod 644 lib.sh

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/gbtestdisk"
	rm -f "$(DESTDIR)$(MANDIR)/man1/gbtestdisk.1"
	for script in $(PLOTS) lib.sh; do \
		rm -f "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk/$$script"; \
	done
	-rmdir "$(DESTDIR)$(LIBEXECDIR)/gbtestdisk"

clean:
	rm -f gbtestdisk

.PHONY: all check check-all check-cross bench install uninstall clean
