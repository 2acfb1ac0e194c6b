import { readFileSync } from 'node:fs'

// USER_HZ, which Linux fixes for what /proc tells.
const TICKS_A_SECOND = 100
const USER_OF_CHILDREN = 13

/** Processor seconds, user and system, of all children that this process has waited for, theirs included. 0 elsewhere than on Linux. */
export function childrenSeconds(): number {
  try {
    // The name of the program, in brackets, may hold spaces; state is the first field behind it.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const [user, system] = fields.slice(USER_OF_CHILDREN, USER_OF_CHILDREN + 2).map(Number)
    return ((user ?? 0) + (system ?? 0)) / TICKS_A_SECOND
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

/** Processor seconds of this process and of the children that it has waited for. */
export function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / MICROSECONDS + childrenSeconds()
}
