import { fail, type OutputOf, type QueueJobData } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { type DashboardAnswer, readQueue, refusalText } from '#/logs/commands/read-queue.ts'
import { maskKeys } from '#/logs/mask-keys.ts'
import { maskOfInstance } from '#/logs/mask-of.ts'
import type { LogsDeps } from '#/logs/deps.ts'

type Deps = Pick<LogsDeps, 'instances' | 'environment' | 'nodes' | 'processes' | 'domainOf'>
type Queue = Extract<OutputOf<'instance:queue'>, { available: true }>

/** INS-125 to INS-128. Throws `node.not_active`, `instance.queue_unanswered` and those of NodeSession. */
export const makeQueue =
  (deps: Deps): Handler<'instance:queue'> =>
  async ({ call, input: { instance: asked, state, limit }, found }) => {
    const instance = found?.instance ?? (await deps.instances.find(asked))
    if (!instance) throw fail('instance.not_found')
    const dashboard = await deps.processes.dashboardOf(instance.id)
    if (!dashboard) return { data: { available: false, state } }
    const { processId, user, directory, php } = dashboard
    const { id, name, status } = instance.node
    const details = { node: { id, name }, process: processId }
    if (status !== 'active') throw fail('node.not_active', { details })
    const session = deps.nodes.sessions.overTunnel(call, instance.node)
    const account = user === undefined ? session : session.as(user)
    const answer = await account.ask(readQueue, { directory, php, state, limit })
    if (typeof answer === 'string')
      throw fail('instance.queue_unanswered', {
        message: refusalText(answer),
        details: { ...details, reason: answer },
      })
    const mask = await maskOfInstance(deps, instance.id)
    const shown = (text: string): string => mask(maskKeys(text)).join('\n')
    const url = dashboardUrl(answer, await deps.domainOf(instance.id))
    return { data: { available: true, state, process_id: processId, ...present(answer, url, shown) } }
  }

type Shown = (text: string) => string

function present(
  { domain: _domain, path: _path, jobs, queues, ...numbers }: DashboardAnswer,
  url: string | undefined,
  shown: Shown,
): Omit<Queue, 'available' | 'state' | 'process_id'> {
  return {
    ...numbers,
    queues: queues.map((queue) => ({ ...queue, name: shown(queue.name) })),
    dashboard_url: url ?? null,
    jobs: jobs.map((job) => presentJob(job, url, shown)),
  }
}

function presentJob(
  job: DashboardAnswer['jobs'][number],
  url: string | undefined,
  shown: Shown,
): QueueJobData {
  const { name, queue, status, exception } = job
  return {
    id: job.id,
    name: shown(name ?? ''),
    queue: shown(queue ?? ''),
    status: status ?? '',
    pushed_at: timeOf(job.pushed_at),
    completed_at: timeOf(job.completed_at),
    failed_at: timeOf(job.failed_at),
    exception: exception === null ? null : shown(exception),
    url: url === undefined ? null : `${url}/${pageOf(status)}/${encodeURIComponent(job.id)}`,
  }
}

/** Where the pages of the dashboard are, below its address. */
function pageOf(status: string | null): string {
  if (status === 'failed') return 'failed'
  return status === 'completed' ? 'jobs/completed' : 'jobs/pending'
}

const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i
const PATH = /^[\w./-]{1,200}$/

/** Undefined without a domain, and for an address that is none. */
function dashboardUrl({ domain, path }: DashboardAnswer, own: string | undefined): string | undefined {
  const host = domain ?? own
  const place = (path ?? '').replace(/^\/+|\/+$/g, '')
  if (host === undefined || !HOST.test(host) || (place !== '' && !PATH.test(place))) return undefined
  return place === '' ? `https://${host}` : `https://${host}/${place}`
}

/** Seconds since 1970 of a time that a calendar has. */
function timeOf(seconds: number | null): string | null {
  const date = seconds === null ? undefined : new Date(seconds * 1000)
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString()
}
