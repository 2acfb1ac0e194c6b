import { LOCKS, type LockRule } from '@fleet/fleet'

/** `docs/reference/locks.md`: every lock in the order in which one request may take them. */
export function locksPage(): string {
  const rules: readonly LockRule[] = Object.values(LOCKS)
  const rows = rules.map(
    ({ name, guards, waitSeconds, termSeconds, busy, lost = 'node.lock_lost' }, index) =>
      `| ${index + 1} | \`${name}\` | ${guards} | ${waitSeconds === 0 ? 'none' : `${waitSeconds} s`} | ${termSeconds} s | ${busy ? `\`${busy}\`` : "the family's own"} | \`${lost}\` |`,
  )
  return `<!-- Written by npm run generate from packages/fleet/src/locks/table.ts. -->

# Locks

A request takes locks in this order, and of one kind the lower id first, so no two requests can wait for each other. A lock
that does not wait may be taken at any time. The wait is never longer than what is left of the request's time. The term is
renewed for as long as the lock is held; a holder that is gone loses the lock after it. Before each command on a Node the
gateway proves that every lock of the request is still held.

| | Lock | Guards | Wait | Term | Busy | Lost |
| - | - | - | - | - | - | - |
${rows.join('\n')}
`
}
