import type { DeploymentDetailData } from '@fleet/contract'
import { AnswerError, UnreachableError } from '@fleet/sdk/core'
import type { Context } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'
import type { DeploymentPrinter } from './printer.ts'

/** Reads the record of a run. */
export type ReadDeployment = (id: number) => Promise<unknown>

const EVERY_MILLISECONDS = 1000
/** A gateway that restarts is away for less. */
const FAILURES_MAX = 120

/** Prints a run from its record until it has ended; a gateway that is away for a while is waited for. */
export async function followDeployment(
  { clock, signal, terminal }: Pick<Context, 'clock' | 'signal' | 'terminal'>,
  id: number,
  read: ReadDeployment,
  printer: DeploymentPrinter,
): Promise<ExitCode> {
  for (let failures = 0; !signal.aborted;) {
    try {
      const shown = (await read(id)) as DeploymentDetailData // The gateway answers by this declaration.
      failures = 0
      printer.takeEnd(shown)
      if (shown.status !== 'running') return printer.end()
    } catch (error) {
      if (!isLost(error) || failures >= FAILURES_MAX) throw error
      if (failures === 0) terminal.err('The gateway does not answer. Trying again until it does.\n')
      failures += 1
    }
    await clock.sleep(EVERY_MILLISECONDS, signal)
  }
  return EXIT.interrupted
}

/** Whether an error says nothing about the run itself: nobody answered, or the connection broke off. */
export const isLost = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof AnswerError && error.isCutOff)
