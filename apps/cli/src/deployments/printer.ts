import type { DeploymentDetailData, DeploymentLine } from '@fleet/contract'
import type { Context } from '#/context.ts'
import { recordedResult } from '#/deployments/recorded-result.ts'
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

  takeEnd(deployment: DeploymentDetailData): void {
    for (const line of deployment.events) this.take(line)
    const result = this.#result ? undefined : recordedResult(deployment)
    // Of the lines that came over the stream the record may have kept none.
    if (result) this.take({ ...result, sequence: Math.max(result.sequence, this.#sequence + 1) })
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
