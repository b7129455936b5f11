#!/bin/sh
# The pure functions, tested from inside the program: see unit.c.
. ./lib.sh

unit_cases unit.c

finish
