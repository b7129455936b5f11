#!/bin/sh
# The load's pure parts, tested from inside the program: see unit-load.c.
. ./lib.sh

unit_cases unit-load.c

finish
