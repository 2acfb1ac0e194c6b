import type { Stage } from './stage.ts'

/** The audit rows that this run left, oldest first. */
export async function showActivities({ client, screen, stopping }: Stage): Promise<void> {
  const { data } = await client.call('activity:list', { limit: 12 }, { signal: stopping })
  const width = Math.max(...data.map(({ command }) => command.length))
  const lines = data
    .toReversed()
    .map(
      ({ command, status, duration_ms, request_id }) =>
        `${command.padEnd(width)} ${status.padEnd(10)} ${`${duration_ms ?? ''} ms`.padStart(8)}  ${request_id}`,
    )
  screen.done(
    'Activities',
    'every request is in the audit log, without any environment value',
    undefined,
    lines,
  )
}
