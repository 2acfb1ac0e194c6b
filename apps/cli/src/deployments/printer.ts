import type { DeploymentDetailData, DeploymentLine } from '@fleet/contract'
import type { Context } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'
import { textOfStream } from '#/print/stream.ts'
import type { StreamText } from '#/views/view.ts'

type Result = Extract<DeploymentLine, { type: 'result' }>

type PrinterContext = Pick<Context, 'terminal' | 'tree' | 'onOutcome'>

/** Prints the lines of one run, each once, wherever they come from: its stream, or its record. */
export class DeploymentPrinter {
  readonly #terminal: Context['terminal']
  readonly #text: StreamText | undefined
  readonly #onOutcome: Context['onOutcome']
  #sequence = 0
  #result: Result | undefined

  private constructor({ terminal, onOutcome }: PrinterContext, text: StreamText | undefined) {
    this.#terminal = terminal
    this.#onOutcome = onOutcome
    this.#text = text
  }

  static async for(
    context: PrinterContext,
    name: string,
    { json, instance }: { readonly json: boolean; readonly instance?: string | undefined },
  ): Promise<DeploymentPrinter> {
    return new DeploymentPrinter(context, json ? undefined : await textOfStream(name, context, instance))
  }

  take(line: DeploymentLine): void {
    if (line.sequence <= this.#sequence) return
    this.#sequence = line.sequence
    if (line.type === 'result') {
      this.#result = line
      this.#onOutcome(this.#exit)
    }
    this.#print(this.#text ? this.#text.line(line) : [JSON.stringify(line)])
  }

  /** A run that its gateway did not end has no result among its lines; its record says what came of it. */
  takeEnd({ events, ...record }: DeploymentDetailData): void {
    for (const line of events) this.take(line)
    if (this.#result || record.status === 'running') return
    this.take({
      type: 'result',
      sequence: this.#sequence + 1,
      request_id: events.at(-1)?.request_id ?? '',
      deployment_id: record.id,
      at: record.finished_at ?? events.at(-1)?.at ?? record.started_at,
      status: record.status,
      failed_step: record.failed_step,
      error_code: record.error_code,
      selected_release: record.selected_release,
    })
  }

  get hasResult(): boolean {
    return this.#result !== undefined
  }

  /** What is left of the output, and how the command ends. */
  end(): ExitCode {
    if (this.#text) this.#print(this.#text.end())
    return this.#exit
  }

  get #exit(): ExitCode {
    return this.#result?.status === 'failed' ? EXIT.refused : EXIT.ok
  }

  #print(lines: readonly string[]): void {
    this.#terminal.out(lines.map((line) => `${line}\n`).join(''))
  }
}
