import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Said, Report } from './gateway-program.ts'

const PROGRAM = resolve(import.meta.dirname, 'gateway-program.ts')

/** A gateway that can die and come back on its home, address and port. Disposing it stops it. */
export class GatewayProcess implements AsyncDisposable {
  readonly said: Said
  readonly #report: Report
  #child: ChildProcess

  private constructor(reported: Report, child: ChildProcess, said: Said) {
    this.#report = reported
    this.#child = child
    this.said = said
  }

  static async start(reported: Report): Promise<GatewayProcess> {
    const child = spawnProgram(reported)
    const said = await firstLine(child)
    const port = Number(new URL(said.url).port)
    return new GatewayProcess({ ...reported, port }, child, said)
  }

  /** Dies at once, without a word to anybody. */
  async kill(): Promise<void> {
    await end(this.#child, 'SIGKILL')
  }

  /** Starts again where it was; what it says is the same. */
  async restart(): Promise<void> {
    this.#child = spawnProgram(this.#report)
    assert.deepEqual(await firstLine(this.#child), this.said)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.#child, 'SIGTERM')
  }
}

const spawnProgram = (reported: Report): ChildProcess =>
  spawn(process.execPath, [PROGRAM, JSON.stringify(reported)], { stdio: ['ignore', 'pipe', 'inherit'] })

async function firstLine(child: ChildProcess): Promise<Said> {
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Said // Written by gateway-program.ts.
  throw new Error('the gateway ended before it listened')
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill(signal)
  await closed
}
