/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol of wake.c for SPIN, with total store order as x86 has it: a store is in its
 * process's buffer (a channel) until it leaves; a fence waits for the buffer to be empty.  One
 * request at a time; a wake-up that is lost is an invalid end state.
 *   spin -a wake.pml; cc -o pan pan.c; ./pan
 * -DBROKEN=n leaves out: 1, 2 the client's, 3, 4 the accelerator's fence or last look, 5 the fence
 * of a request, 6 that of a completion, 7 the growth of the wake word. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define REQUESTS 3

byte request, done, sleeping, wake, asleep; /* memory */
bool rung, at_futex;

#define REQUEST 0
#define DONE 1
#define SLEEPING 2
#define ASLEEP 3
chan client_stores = [3] of { byte, byte };
chan service_stores = [3] of { byte, byte };

inline leave(stores)
{
    atomic {
        stores?word, value;
        if
        :: word == REQUEST -> request = value
        :: word == DONE -> done = value
        :: word == SLEEPING -> sleeping = value
        :: word == ASLEEP -> asleep = value
        fi;
        word = 0; value = 0
    }
}

proctype buffer(chan stores)
{
    byte word, value;
end:
    do
    :: leave(stores)
    od
}

proctype client()
{
    byte n, seen;
    do
    :: n == REQUESTS -> break
    :: else ->
        n++;
        client_stores!REQUEST, n;
        if
        :: BROKEN == 5
        :: else -> empty(client_stores)
        fi;
        if
        :: asleep -> rung = true
        :: else
        fi;
        do
        :: done == n -> break
        :: done != n ->
            seen = wake;
            client_stores!SLEEPING, 1;
            if
            :: BROKEN == 1
            :: else -> empty(client_stores)
            fi;
            if
            :: BROKEN != 2 && done == n
            :: else ->
                atomic { at_futex = (wake == seen) };
                !at_futex
            fi;
            client_stores!SLEEPING, 0
        od
    od
}

proctype service()
{
    byte n;
    bool was_asleep;
end:
    do
    :: request == n + 1 ->
    answer:
        n++;
        service_stores!DONE, n;
        if
        :: BROKEN == 6
        :: else -> empty(service_stores)
        fi;
        if
        :: sleeping ->
            service_stores!SLEEPING, 0;
            atomic {
                empty(service_stores); /* one access of the bus */
                wake = wake + (BROKEN != 7 -> 1 : 0)
            };
            at_futex = false
        :: else
        fi;
        if
        :: was_asleep -> was_asleep = false; service_stores!ASLEEP, 0
        :: else
        fi
    :: request != n + 1 ->
        was_asleep = true;
        service_stores!ASLEEP, 1;
        if
        :: BROKEN == 3
        :: else -> empty(service_stores)
        fi;
        if
        :: BROKEN != 4 && request == n + 1 -> goto answer
        :: else
        fi;
    end_wait:
        atomic { rung -> rung = false };
        was_asleep = false;
        service_stores!ASLEEP, 0
    od
}

init
{
    atomic {
        run buffer(client_stores);
        run buffer(service_stores);
        run client();
        run service()
    }
}
