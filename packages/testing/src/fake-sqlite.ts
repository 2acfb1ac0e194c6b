import { text } from 'node:stream/consumers'
import type { Command } from '@fleet/shell'
import type { CommandResult, SshPool } from '@fleet/ssh'

type Options = Partial<Pick<Parameters<SshPool['run']>[2], 'stdoutTo' | 'stdinFrom'>>

const PREFIX = 'fleet node-sqlite-carry '
const PROBLEM = '{"end":'

/** What `fleet node-sqlite-carry` does on Nodes, in memory. */
export class FakeSqlite {
  /** What each database holds, in letters and digits, by `node path`. */
  readonly held = new Map<string, string>()
  /** What the command with this word answers in the place of what it would do. */
  readonly refused = new Map<string, { readonly end: string; readonly problem: string }>()
  /** Words of the commands, in order. */
  readonly asked: string[] = []

  isFor({ shown }: Command): boolean {
    return shown.startsWith(PREFIX)
  }

  async answer(nodeId: number, { shown, stdin }: Command, options: Options): Promise<CommandResult> {
    const word = shown.slice(PREFIX.length)
    this.asked.push(word)
    const { from, to, claim } = JSON.parse(stdin?.reveal() ?? '{}') as Record<string, string> // Written by the session.
    const said = await this.#said(word, `${nodeId} ${from ?? to}`, { ...options, claim })
    const stdout = options.stdoutTo ? '' : said
    options.stdoutTo?.end(said)
    return { exitCode: 0, signal: null, stdout: Buffer.from(stdout), stderr: Buffer.alloc(0) }
  }

  async #said(
    word: string,
    at: string,
    { stdinFrom, claim }: Options & { claim: string | undefined },
  ): Promise<string> {
    const arrived = stdinFrom ? await text(stdinFrom) : ''
    const refused = this.refused.get(word)
    if (refused) return line(refused)
    const held = this.held.get(at)
    switch (word) {
      case 'send':
        return held ?? line({ end: 'source', problem: 'missing' })
      case 'digest':
      case 'examine':
        return line(held === undefined ? { end: 'source', problem: 'missing' } : { done: held })
      case 'receive':
        if (arrived.startsWith(PROBLEM)) return arrived
        this.held.set(at, arrived)
        if (claim !== undefined) this.held.set(`${at}.${claim}`, arrived)
        return line({ done: arrived })
      case 'release':
        this.held.delete(`${at}.${claim}`)
        return line({ done: 'released' })
      default:
        if (claim === undefined || this.held.delete(`${at}.${claim}`)) this.held.delete(at)
        return line({ done: 'dropped' })
    }
  }
}

const line = (answer: object): string => `${JSON.stringify(answer)}\n`
