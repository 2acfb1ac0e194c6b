import type { DependencyInventory } from '@fleet/contract'
import { AnswerError, ApiError, UnreachableError } from '@fleet/sdk/core'
import type { Context, Invocation } from '#/context.ts'
import { ClientError, EXIT, type ExitCode } from '#/exit.ts'
import type { GatewayLink } from '#/live/gateway-link.ts'
import { scanLine } from './inventory-text.ts'
import { allInstances, type Target } from './targets.ts'

/** One Instance of the aggregate. `skipped`: the command was interrupted before its scan ended. */
interface Scanned {
  readonly instance_id: number
  readonly status: 'scanned' | 'failed' | 'skipped'
  readonly error_code: string | null
  readonly inventory: DependencyInventory | null
}

/** Scans every Instance that the list returns, one by one, whatever becomes of the others (DEP-040, DEP-041). */
export async function scanAll(
  { terminal, signal, newRequestId, onOutcome }: Context,
  { globals }: Invocation,
  link: GatewayLink,
): Promise<ExitCode> {
  const request_id = globals.requestId ?? newRequestId()
  const targets = await allInstances(link)
  const instances: Scanned[] = []
  for (const [index, target] of targets.entries()) {
    const scanned = signal.aborted ? skipped(target) : await scanNext(link, target, signal)
    instances.push(scanned)
    if (!globals.json)
      terminal.out(`[${index + 1}/${targets.length}] ${target.label} (${target.id})  ${textOf(scanned)}\n`)
  }
  const counted = (status: Scanned['status']): number =>
    instances.filter((one) => one.status === status).length
  const succeeded = counted('scanned') === instances.length
  const summary = {
    instances: instances.length,
    scanned: counted('scanned'),
    failed: counted('failed'),
    skipped: counted('skipped'),
  }
  const exit = signal.aborted ? EXIT.interrupted : succeeded ? EXIT.ok : EXIT.refused
  onOutcome(exit)
  terminal.outAtEnd(
    globals.json
      ? `${JSON.stringify({ succeeded, summary, instances, request_id })}\n`
      : `${summary.scanned} scanned, ${summary.failed} failed, ${summary.skipped} skipped\n`,
  )
  return exit
}

async function scanNext(link: GatewayLink, target: Target, signal: AbortSignal): Promise<Scanned> {
  try {
    const data = await link.ask('instance:dependencies:scan', { instance: target.id })
    const inventory = data as DependencyInventory // The gateway answers by this declaration.
    const [code = null] = [inventory.composer, inventory.javascript].flatMap(
      ({ error_code }) => error_code ?? [],
    )
    const status = inventory.succeeded === true ? 'scanned' : 'failed'
    return { instance_id: target.id, status, error_code: code, inventory }
  } catch (error) {
    if (signal.aborted) return skipped(target)
    return { instance_id: target.id, status: 'failed', error_code: codeOf(error), inventory: null }
  }
}

/** The code of a refusal, or of an answer that did not come. Anything else is a bug of this client and is thrown again. */
function codeOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof ClientError) return error.code
  if (error instanceof UnreachableError || error instanceof AnswerError) return 'gateway.unreachable'
  throw error
}

const skipped = ({ id }: Target): Scanned => ({
  instance_id: id,
  status: 'skipped',
  error_code: null,
  inventory: null,
})

const textOf = ({ status, error_code, inventory }: Scanned): string =>
  inventory ? scanLine(inventory) : status === 'skipped' ? 'skipped' : `failed: ${error_code}`
