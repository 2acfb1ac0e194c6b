import { fail } from '@fleet/contract'
import type { InstanceMoves } from '#/instances/ports.ts'

/** Throws `schedule.target_in_use` with the Schedules that have the Instance as their target (INS-097). */
export async function requireNoSchedule(
  moves: Pick<InstanceMoves, 'schedulesOf'>,
  instanceId: number,
): Promise<void> {
  const schedules = (await moves.schedulesOf(instanceId)).map(({ id, name }) => ({ id, name }))
  const [first] = schedules
  if (!first) return
  const named = schedules.map(({ name }) => `\`${name}\``).join(', ')
  throw fail('schedule.target_in_use', {
    message:
      schedules.length === 1
        ? `The Schedule ${named} targets this Instance. Destroy it first (\`fleet schedule:destroy ${first.id}\`).`
        : `The Schedules ${named} target this Instance. Destroy them first (\`fleet schedule:destroy SCHEDULE\`).`,
    details: { schedules },
  })
}
