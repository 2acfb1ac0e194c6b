import { readFileSync } from 'node:fs'

// USER_HZ, which Linux fixes for what /proc tells.
const TICKS_A_SECOND = 100
const USER = 11
const USER_OF_CHILDREN = 13

/** Processor seconds, user and system, of all children that this process has waited for, theirs included. 0 elsewhere than on Linux. */
export const childrenSeconds = (): number => secondsIn('/proc/self/stat', USER_OF_CHILDREN, 2)

/** The sum of so many fields of times, from the one of that number on. */
function secondsIn(path: string, first: number, count: number): number {
  try {
    // The name of the program, in brackets, may hold spaces; state is the first field behind it.
    const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (
      fields
        .slice(first, first + count)
        .map(Number)
        .reduce((sum, ticks) => sum + ticks, 0) / TICKS_A_SECOND
    )
  } catch {
    return 0
  }
}

/** Asked whenever a child has ended, it answers the processor seconds of that child: they are added when it is waited for. */
class ChildrenCpu {
  #before = childrenSeconds()

  sinceLast(): number {
    const now = childrenSeconds()
    const seconds = now - this.#before
    this.#before = now
    return seconds
  }
}

export const cpuOfChildren = new ChildrenCpu()

const MICROSECONDS = 1e6

/** Processor seconds of this process and of its children, those that run included. */
export function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / MICROSECONDS + childrenSeconds() + runningSeconds()
}

/** Some children serve many tests: what such a one has used so far, with what it has waited for. */
const runningSeconds = (): number =>
  runningChildren().reduce((sum, pid) => sum + secondsIn(`/proc/${pid}/stat`, USER, 4), 0)

function runningChildren(): readonly string[] {
  try {
    return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    return []
  }
}
