#!/bin/sh
# The main job, as a user does it.
. ./lib.sh

t 'the default run prints three columns of three rows'
run -c 1 "$D"
want_status 0
want_table 3
want_empty

finish
