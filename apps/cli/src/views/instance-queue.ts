import type { OutputOf } from '@fleet/contract'
import { tableLines } from '#/print/table.ts'
import { printable } from '#/print/text.ts'
import type { Json } from '#/print/value.ts'
import { type Paper, section, type View } from './view.ts'

type Queue = OutputOf<'instance:queue'>
type Known = Extract<Queue, { available: true }>

/** What a person asks of queues: do they run, what waits, and what of it failed and why. */
export const instanceQueue: View = {
  lines: async (data, _also, paper) => {
    const queue = data as unknown as Queue // The gateway answers by this declaration.
    if (queue.available) return known(queue, paper)
    return ['This Instance has no queue dashboard: no Process of it runs `artisan horizon`.']
  },
}

async function known(queue: Known, paper: Paper): Promise<readonly string[]> {
  const { columns, colors } = paper
  const { pending, completed, failed } = queue.totals
  const head = [
    `${colors.bold('queues')}  ${queue.status}, Process ${queue.process_id}`,
    `${queue.processes} processes, ${queue.jobs_per_minute} jobs per minute`,
    `${pending} pending, ${completed} completed, ${failed} failed`,
    ...(queue.dashboard_url === null ? [] : [printable(queue.dashboard_url)]),
  ]
  const queues = queue.queues.map((one): Json => ({ ...one, wait: `${one.wait_seconds} s` }))
  const jobs = queue.jobs.map((job): Json => ({
    ...job,
    at: job.failed_at ?? job.completed_at ?? job.pushed_at,
  }))
  const why = queue.jobs.flatMap(({ id, exception }) =>
    exception === null ? [] : [[printable(id), printable(exception.split('\n')[0] ?? '')] as const],
  )
  return [
    ...head,
    ...(queues.length === 0
      ? []
      : ['', ...(await tableLines(queues, ['name', 'length', 'wait', 'processes'], columns, colors))]),
    '',
    ...(jobs.length === 0
      ? [`No ${queue.state} jobs.`]
      : await tableLines(jobs, ['id', 'name', 'queue', 'status', 'at'], columns, colors)),
    ...section('why', why, paper),
  ]
}
