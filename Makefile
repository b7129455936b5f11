.POSIX:

CC = cc
CFLAGS = -O2
LDFLAGS =
LDLIBS =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man

all: gbtestdisk

gbtestdisk: gbtestdisk.c
	$(CC) $(CFLAGS) $(LDFLAGS) -o gbtestdisk gbtestdisk.c $(LDLIBS)

check: gbtestdisk
	CC='$(CC)' sh tests/run

install: gbtestdisk
	mkdir -p $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1
	cp gbtestdisk $(DESTDIR)$(BINDIR)/gbtestdisk
	chmod 755 $(DESTDIR)$(BINDIR)/gbtestdisk
	cp gbtestdisk.1 $(DESTDIR)$(MANDIR)/man1/gbtestdisk.1
	chmod 644 $(DESTDIR)$(MANDIR)/man1/gbtestdisk.1

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/gbtestdisk
	rm -f $(DESTDIR)$(MANDIR)/man1/gbtestdisk.1

clean:
	rm -f gbtestdisk

.PHONY: all check install uninstall clean
