import { fail } from '@fleet/contract'
import { begin, type Progress, type Run } from '#/deployments/run/context.ts'
import type { NodeSession } from '#/nodes/api.ts'
import type { PageAnswer } from '#/php/api.ts'
import type { ProductionInstance } from '#/instances/api.ts'

/** Not the name of any step, which has no space. */
const STEP = 'health request'

const SAID = {
  missing: 'found no index.php in the web root of the new release',
  unavailable: 'found nobody on the socket of PHP',
  silent: 'got no answer in time',
  broken: 'got no complete answer',
} as const satisfies Record<Exclude<PageAnswer['outcome'], 'answered'>, string>

/**
 * The new release answers one request with a status of 2xx before it is selected; what else it answers is output of the run
 * (decision 0211). Throws `deployment.health_failed` and `deployment.health_unavailable`.
 */
export async function requireHealthy(
  run: Run<ProductionInstance>,
  progress: Progress,
  session: NodeSession,
  page: { readonly release: string; readonly path: string },
): Promise<void> {
  await begin(run, progress, 'before_activation', STEP)
  const answer = await run.deps.php.health(session, run.instance, page)
  if (answer === undefined) throw fail('deployment.health_unavailable')
  const isHealthy = answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300
  await run.journal.printing(async (onOutput) => {
    onOutput(isHealthy ? 'stdout' : 'stderr', Buffer.from(`GET ${page.path} ${saidOf(answer)}\n`))
    if (!isHealthy && answer.outcome === 'answered') onOutput('stderr', answer.body)
  })
  if (isHealthy) return
  const { outcome } = answer
  throw fail('deployment.health_failed', {
    details: outcome === 'answered' ? { status: answer.status } : { outcome },
  })
}

const saidOf = (answer: PageAnswer): string =>
  answer.outcome === 'answered' ? `answered ${answer.status}` : SAID[answer.outcome]
