/* SPDX-License-Identifier: Apache-2.0 */
/* The sleep of the threads of the unit for public keys (accel/service/unit/unit_thread.c,
 * unit_sleep.c) for SPIN: THREADS threads, which look at the requests of CLIENTS clients under a
 * lock, and say in the word `asleep` whether a thread sleeps while none looks.  A request that nobody
 * takes is an invalid end state.  Before a thread takes a request it may let others run; nobody
 * else takes one meanwhile.  All stores are seen at once, as the fences make it; wake.pml has the
 * stores that wait in buffers.
 *   spin -a unit.pml; cc -o pan pan.c; ./pan
 * -DBROKEN=n leaves out: 1 the last look of a thread that falls asleep, 2 the look of a client at
 * "asleep", 3 the word that a thread sleeps, 4 the end of letting others run.  The kick of a thread
 * that begins a batch is no part of the proof: without it a request waits for that batch. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define THREADS 2
#define CLIENTS 2
#define REQUESTS 2

bool waiting[CLIENTS], done[CLIENTS], rung[CLIENTS], kicked;
bool asleep, lock;
byte looking = THREADS, sleeping, gathering;

inline acquire()
{
    atomic { !lock -> lock = true }
}

inline say_asleep()
{
    more = sleeping > 0 && looking == 0 && gathering == 0 && !asleep;
    asleep = sleeping > 0 && looking == 0 && gathering == 0
}

inline look()
{
    found = CLIENTS;
    i = 0;
    do
    :: i < CLIENTS && waiting[i] && gathering == 0 -> found = i; break
    :: i < CLIENTS && (!waiting[i] || gathering > 0) -> i++
    :: i == CLIENTS -> break
    od
}

inline gather()
{
    looking--;
    gathering++;
    say_asleep();
    lock = false;
    acquire();
    if
    :: BROKEN != 4 -> gathering--
    :: else
    fi;
    looking++;
    say_asleep();
    look()
}

inline begin_batch()
{
    looking--;
    say_asleep();
    if
    :: more ->
        look();
        if
        :: found < CLIENTS -> kicked = true
        :: else
        fi
    :: else
    fi
}

inline fall_asleep()
{
    looking--;
    if
    :: BROKEN != 3 -> sleeping++
    :: else
    fi;
    say_asleep();
    found = CLIENTS;
    if
    :: more && BROKEN != 1 -> look()
    :: else
    fi;
    if
    :: found == CLIENTS ->
        lock = false;
end:    atomic {
            rung[0] || rung[1] || kicked ->
            rung[0] = false; rung[1] = false; kicked = false
        }
        acquire()
    :: else
    fi;
    if
    :: BROKEN != 3 -> sleeping--
    :: else
    fi;
    looking++;
    say_asleep()
}

proctype thread()
{
    byte i, found, mine;
    bool more;
    acquire();
    do
    :: look();
        if
        :: found < CLIENTS -> gather()
        :: true
        fi;
        if
        :: found < CLIENTS ->
            mine = found;
            waiting[mine] = false; /* the service's position in the ring moves on */
            begin_batch();
            lock = false;
            acquire();
            looking++;
            say_asleep();
            done[mine] = true
        :: else ->
            if
            :: looking > 1 -> fall_asleep()
            :: true -> fall_asleep() /* it has looked for long enough */
            :: true -> lock = false; acquire()
            fi
        fi
    od
}

proctype client(byte me)
{
    byte n;
    do
    :: n == REQUESTS -> break
    :: else ->
        n++;
        done[me] = false;
        waiting[me] = true;
        if
        :: asleep && BROKEN != 2 -> rung[me] = true
        :: else
        fi;
        done[me]
    od
}

init
{
    atomic {
        byte n;
        for (n : 1 .. THREADS) {
            run thread()
        }
        for (n : 1 .. CLIENTS) {
            run client(n - 1)
        }
    }
}
