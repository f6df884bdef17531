#!/usr/bin/env bash
# What any number of threads costs, compared with a known number.
#
#   benchmarks/any-number.sh [rely] table    each row of `pacman`, and the same program with at most three threads that
#                                            `main` starts, explored; the time of both, their ratio, and the medians
#   benchmarks/any-number.sh [rely] growth   threads that each add 1,000 times under a lock, as models and in C
#
# Times are those of the processor, in milliseconds, the least of up to five runs: other work on the machine does not count.
set -eu
TIMEFORMAT='%U %S'

rely=${1:-target/release/rely}
what=${2:-table}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The verdict, and the least time of some runs.
measure() {
    repetitions=$1
    shift
    least=
    while [ "$repetitions" -gt 0 ]; do
        repetitions=$((repetitions - 1))
        { time "$rely" check --no-cache --timeout 60 "$@" >"$work/told" 2>"$work/progress" || true; } 2>"$work/time"
        verdict=$(sed -n 's/^[^ ].*: \(safe\|unsafe\|unknown\) (assert).*/\1/p; s/^  assert  *\(safe\|unsafe\|unknown\).*/\1/p' "$work/told" | head -1)
        spent=$(awk '{ printf "%d", 1000 * ($1 + $2) }' "$work/time")
        if [ -z "$least" ] || [ "$spent" -lt "$least" ]; then least=$spent; fi
        # What takes seconds needs no repetition.
        [ "$spent" -lt 1000 ] || break
    done
    echo "$verdict $least"
}

# The program of which `main` starts at most three threads.
three() {
    awk '/^process main/ { print; print "    local started: int = 0;"; inside = 1; next }
         /^}/ { inside = 0 }
         inside && /spawn/ { sub(/: /, ": started < 3; started := started + 1; ") }
         { print }' "$1"
}

case $what in
table)
    for row in "$here"/pacman/*.rely; do
        name=$(basename "$row" .rely)
        three "$row" >"$work/$name.rely"
        any=$(measure 5 --engine parameterized "$row")
        known=$(measure 5 --engine explore "$work/$name.rely")
        echo "$name $any $known"
    done | awk '
        function median(values, count,    i, j, held) {
            for (i = 2; i <= count; i++)
                for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
                    held = values[j]; values[j] = values[j - 1]; values[j - 1] = held
                }
            return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
        }
        {
            # A run that is too short for the clock counts as one millisecond.
            any = $3 < 1 ? 1 : $3; known = $5 < 1 ? 1 : $5
            printf "%-22s %-7s %6d ms   three threads: %-7s %6d ms   ratio %.1f\n", $1, $2, $3, $4, $5, any / known
            all[++rows] = any / known
            if ($2 == "safe") proved[++proofs] = any / known
        }
        END {
            printf "median ratio of all %d rows %.1f, of the %d that are proved %.1f\n", rows, median(all, rows), proofs, median(proved, proofs)
        }'
    ;;
growth)
    for n in 2 4 8 16 32; do
        cat >"$work/add.rely" <<MODEL
var x: int = 0;
var m: mutex;
thread adder[$n] {
    local i: int = 0;
    while i < 1000 { lock(m); x := x + 1; unlock(m); i := i + 1; }
}
ensures x == $n * 1000;
MODEL
        cat >"$work/add.c" <<PROGRAM
#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *adder(void *unused) {
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t[$n];
    for (int i = 0; i < $n; i++) pthread_create(&t[i], 0, adder, 0);
    for (int i = 0; i < $n; i++) pthread_join(t[i], 0);
    assert(x == $n * 1000);
}
PROGRAM
        echo "$n threads: model $(measure 1 --engine parameterized "$work/add.rely") ms," \
            "by default $(measure 1 "$work/add.rely") ms; C $(measure 1 --property assert "$work/add.c") ms"
    done
    ;;
*)
    echo "what is \`$what\`?" >&2
    exit 2
    ;;
esac
