# UFW locks with fcntl, which no shell tool can; such a lock stays with the process when it becomes another program.
# UFW is written in Python, so Python is there.
import fcntl, os, signal, sys
lock = open(sys.argv[1], 'w')
signal.alarm(60)
fcntl.lockf(lock, fcntl.LOCK_EX)
signal.alarm(0)
os.set_inheritable(lock.fileno(), True)
os.execvp(sys.argv[2], sys.argv[2:])
