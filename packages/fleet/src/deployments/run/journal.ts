import { type DeploymentLine, type DeploymentPhase, fail } from '@fleet/contract'
import { type Clock, within } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type DeploymentRow, updateDeployment } from '#/deployments/queries.ts'
import { codeOfAbort } from '#/deployments/run/failure.ts'
import { KeptLines } from '#/deployments/run/kept-lines.ts'
import { OutputLines } from '#/deployments/run/output.ts'
import type { Mask } from '#/logs/api.ts'

export interface JournalDeps {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
}

/** A line as its writer has it. */
type Written = { readonly [T in DeploymentLine['type']]: WrittenAs<T> }[DeploymentLine['type']]
type WrittenAs<T> = Omit<
  Extract<DeploymentLine, { type: T }>,
  'sequence' | 'request_id' | 'deployment_id' | 'at'
>

/** How long a phase, or the result, waits for a client that does not read. */
const READER_MILLISECONDS = 2000
/** Lines that a slow client has not taken yet; of further output the end follows them, as much of it as the row keeps. */
const UNTAKEN_MAX = 64
/** How often output is stored while a step runs. */
const STORE_MILLISECONDS = 1000

/** The lines of one run, written to its client and into its row. */
export class DeploymentJournal {
  readonly #deps: JournalDeps
  readonly #call: Call
  readonly #mask: Mask
  #row: Pick<DeploymentRow, 'id'> | undefined
  #sequence = 0
  #untaken = 0
  /** Output that the client gets once it has taken what is before. */
  #withheld = new KeptLines()
  #caughtUp: (() => void) | undefined
  readonly #kept = new KeptLines()
  #storedAt = 0
  #isDue = false
  #printing: AbortSignal | undefined
  #storing: Promise<unknown> = Promise.resolve()

  constructor(deps: JournalDeps, call: Call, mask: Mask) {
    this.#deps = deps
    this.#call = call
    this.#mask = mask
  }

  /** Its lines are kept in the row from now on. */
  keepIn(row: Pick<DeploymentRow, 'id'>): void {
    this.#row = row
  }

  get lines(): readonly DeploymentLine[] {
    return this.#kept.lines
  }

  /** A phase or a step of it begins. Throws `deployment.cancelled` (DEPL-025) and `deployment.interrupted`. */
  async phase(phase: DeploymentPhase, step: string | null = null): Promise<void> {
    const line = this.#line({ type: 'phase', phase, step_name: step })
    await this.#store({ phase })
    if (this.#isRead) {
      await this.#untilCaughtUp()
      // What follows a phase never comes before it. A gap of the sequence says that output was left out.
      this.#withheld = new KeptLines()
      await within(this.#deps.clock, READER_MILLISECONDS, this.#call.emit(line))
    }
    this.requireUnaborted()
  }

  /** Before the result: the client gets the end of the output, however slowly it reads. */
  async passRest(): Promise<void> {
    await this.#untilCaughtUp()
    for (let line = this.#withheld.shift(); line; line = this.#withheld.shift()) void this.#call.emit(line)
  }

  async #untilCaughtUp(): Promise<void> {
    if (this.#withheld.isEmpty || this.#call.signal.aborted) return
    const caughtUp = Promise.withResolvers<void>()
    this.#caughtUp = caughtUp.resolve
    await within(this.#deps.clock, READER_MILLISECONDS, caughtUp.promise)
    this.#caughtUp = undefined
  }

  /** Work without a request has no client. */
  get #isRead(): boolean {
    return this.#call.caller !== undefined
  }

  requireUnaborted(): void {
    if (this.#call.signal.aborted) throw fail(codeOfAbort(this.#call.signal))
  }

  /** Passes on what the work prints. */
  async printing<T>(
    work: (onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void) => Promise<T>,
  ): Promise<T> {
    const ended = new AbortController()
    this.#printing = ended.signal
    const outputs = { stdout: new OutputLines(this.#mask), stderr: new OutputLines(this.#mask) }
    const pass = (stream: 'stdout' | 'stderr', pieces: readonly Buffer[]): void => {
      for (const piece of pieces) this.#output(stream, piece)
    }
    try {
      return await work((stream, chunk) => pass(stream, outputs[stream].take(chunk)))
    } finally {
      ended.abort()
      pass('stdout', outputs.stdout.rest())
      pass('stderr', outputs.stderr.rest())
      await this.#store({})
    }
  }

  result(result: Omit<WrittenAs<'result'>, 'type'>): Extract<DeploymentLine, { type: 'result' }> {
    return this.#line({ type: 'result', ...result })
  }

  #output(stream: 'stdout' | 'stderr', piece: Buffer): void {
    const line = this.#line({ type: 'output', stream, data_base64: piece.toString('base64') })
    this.#storeSoon()
    if (!this.#isRead) return
    this.#withheld.add(line)
    this.#send()
  }

  #send(): void {
    while (this.#untaken < UNTAKEN_MAX) {
      const line = this.#withheld.shift()
      if (!line) break
      this.#untaken += 1
      void this.#call.emit(line).finally(() => {
        this.#untaken -= 1
        this.#send()
      })
    }
    if (this.#withheld.isEmpty) this.#caughtUp?.()
  }

  /** At once, or once the last time is long enough ago: whoever reads the row sees also what nothing comes after for a while. */
  #storeSoon(): void {
    const left = this.#storedAt + STORE_MILLISECONDS - this.#deps.clock.ticks()
    if (left <= 0) this.#storing = this.#store({}).catch(() => undefined)
    else if (!this.#isDue) {
      this.#isDue = true
      const ended = this.#printing
      void this.#deps.clock.sleep(left, ended).then(() => {
        this.#isDue = false
        if (!ended?.aborted) this.#storing = this.#store({}).catch(() => undefined)
      })
    }
  }

  #line<W extends Written>(written: W): Extract<DeploymentLine, { type: W['type'] }> {
    this.#sequence += 1
    const line = {
      ...written,
      sequence: this.#sequence,
      request_id: this.#call.requestId,
      deployment_id: this.#row?.id ?? null,
      at: this.#deps.clock.now().toISOString(),
    } as unknown as Extract<DeploymentLine, { type: W['type'] }> // What is written and what is added make the line of its type.
    this.#kept.add(line)
    return line
  }

  async #store(values: Partial<DeploymentRow>): Promise<void> {
    await this.#storing
    this.#storedAt = this.#deps.clock.ticks()
    if (this.#row)
      await updateDeployment(this.#deps.store.db, this.#row.id, { ...values, events: this.#kept.lines })
  }
}
