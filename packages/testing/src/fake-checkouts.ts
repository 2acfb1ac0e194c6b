import assert from 'node:assert/strict'
import type { Command } from '@fleet/shell'
import { type CommandResult, SshFailure, type SshPool } from '@fleet/ssh'
import type { Row } from '@fleet/store'
import { answerText } from './answer-text.ts'
import { FakeSqlite } from './fake-sqlite.ts'

type Served = Pick<Row<'instances'>, 'checkout_path'>

/** What the scripts on checkouts change, in memory: the real ones are killed at every point in `*-crash.machine.test.ts`. */
export class FakeCheckouts {
  /** What the source at any path is found to be. */
  evidence: Readonly<Record<string, string>> = { artisan: 'absent', console: 'absent', composer: 'absent' }
  /** Adopted directories come from another file system. */
  copies = false
  /** What HEAD of every checkout names. */
  head = 'refs/heads/main'
  /** What stands at each path: the parts that scripts made, and the commands of Projects that ran there. */
  readonly #parts = new Map<string, Set<string>>()
  /** Paths that are served. */
  readonly #served = new Set<string>()
  /** Paths beside which a checkout was received. */
  readonly #received = new Set<string>()
  /** URL of the origin of each path that was cloned. */
  readonly #origins = new Map<string, string>()
  /** Paths whose source a removal has recorded. */
  readonly #recorded = new Set<string>()

  at(path: string): readonly string[] {
    return [...(this.#parts.get(path) ?? []), ...(this.#served.has(path) ? ['route'] : [])].toSorted()
  }

  readonly sqlite = new FakeSqlite()
  /** Titles of the scripts and the other commands, in order. */
  readonly asked: string[] = []

  /** As the domain of Routes would do it: over a source that exists. */
  readonly routes = {
    publish: async (_session: unknown, { checkout_path: path }: Served) => {
      if (!this.#parts.get(path)?.has('source')) throw new Error('there is no source to serve')
      this.#served.add(path)
    },
    unpublish: async (_session: unknown, { checkout_path: path }: Served) => void this.#served.delete(path),
    remove: async (_session: unknown, { checkout_path: path }: Served) => void this.#served.delete(path),
    forget: async () => undefined,
  }

  /** Ids of Nodes that do not answer. */
  readonly silent = new Set<number>()
  /** Titles of scripts before which the connection is lost. */
  readonly lost = new Set<string>()
  #first: number | undefined

  /** The path of a checkout on a Node; that alone on the first Node that was asked. */
  pathOn(nodeId: number, path: string): string {
    this.#first ??= nodeId
    return nodeId === this.#first ? path : `${nodeId}:${path}`
  }

  /** Answers a command of a session, at the path that its arguments name. */
  answer(command: Command, path = pathOf(command)): CommandResult {
    return resultOf(this.run(titleOf(command), path, command))
  }

  /** Answers whatever a session asks of a Node. */
  async reply(
    nodeId: number,
    command: Command,
    options: Parameters<FakeSqlite['answer']>[2] = {},
    path = pathOf(command),
  ): Promise<CommandResult> {
    this.asked.push(titleOf(command) || command.shown)
    if (this.sqlite.isFor(command)) return this.sqlite.answer(nodeId, command, options)
    return this.answer(command, path)
  }

  /** Answers as the script of this title would. */
  run(title: string, path: string, command: Command): string {
    const parts = this.#parts.get(path) ?? new Set()
    switch (title) {
      case 'prepare checkout':
      case 'prepare worktree':
        this.#parts.set(path, parts.add('checkout'))
        return said('prepared')
      case 'resolve worktree':
      case 'resolve source':
        parts.add('source')
        this.#origins.set(path, /https:\S+\.git/.exec(command.shown)?.[0] ?? INSPECTED.origin)
        return said('resolved', { commit: '0123456789012345678901234567890123456789', submodules: '0' })
      case 'examine copied checkout':
        return said('copyable', {
          cleanliness: 'clean',
          origin: 'https://example.com/app.git',
          heads: 'heads',
        })
      case 'copy checkout':
        this.#parts.set(path, parts.add('checkout').add('copied'))
        return said('copied', { mode: 'reflink' })
      case 'settle copied checkout':
        parts.add('source')
        return said('settled', { databases: '', commit: '0123456789012345678901234567890123456789' })
      case 'adopt source':
        this.#parts.set(path, parts.add('checkout').add('source'))
        if (this.copies) parts.add('the copied one')
        return said('adopted', {
          copied: this.copies ? 'yes' : 'no',
          head: 'refs/heads/main',
          commit: '0123456789012345678901234567890123456789',
        })
      case 'return source':
        this.#parts.delete(path)
        return said('returned')
      case 'release source':
        parts.delete('the copied one')
        return said('released')
      case 'examine transfer':
        return said('movable')
      case 'detach worktree':
        return said('detached')
      case 'send source':
        return ''
      case 'receive source':
        this.#received.add(path)
        return said('received', { digest: 'content' })
      case 'digest source':
        return said('read', { digest: 'content' })
      case 'settle source':
        if (this.#received.delete(path)) this.#parts.set(path, parts.add('checkout').add('source'))
        return said(parts.has('source') ? 'settled' : 'foreign')
      case 'delete source':
        this.#parts.delete(path)
        return said('deleted')
      case 'examine source':
        return said('examined', this.evidence)
      case 'inspect upstream':
        return said('inspected', { origin: this.#originOf(path), heads: 'heads', switched: 'no' })
      case 'read head':
        return said('read', { head: this.head })
      case 'provision environment':
        parts.add('.env')
        return said('made')
      case 'run lifecycle step':
        parts.add(`ran ${command.stdin?.reveal() ?? ''}`)
        return said('ended', { end: 'exit 0' })
      case 'inspect source':
        this.#recorded.add(path)
        return said('inspected', { ...INSPECTED, origin: this.#originOf(path) })
      case 'discard checkout':
        if (this.#parts.has(path) && isRemoval(command) && !this.#recorded.has(path))
          return said('unrecorded')
        this.#parts.delete(path)
        this.#received.delete(path)
        return said('gone')
      default:
        return sleepAnswer(command.shown) ?? assert.fail(`no script ${title || command.shown}`)
    }
  }

  #originOf(path: string): string {
    return this.#origins.get(path) ?? INSPECTED.origin
  }
}

/** What is said of the sleep of an Instance: nobody sleeps here. */
function sleepAnswer(shown: string): string | undefined {
  if (shown.includes("script 'read the markers of Instances that sleep'"))
    return said('read', { [`markers.${/\d+$/.exec(shown)?.[0]}`]: 'none none none none no no' })
  return shown.includes("script 'write what an Instance has come to'")
    ? said('written', { awake: 'yes' })
    : undefined
}

const INSPECTED = {
  origin: 'https://example.com/app.git',
  head: 'refs/heads/main',
  cleanliness: 'clean',
  asked: 'skipped',
  lost: 'no',
  worktrees: '0',
  heads: 'digest',
  links: '',
  nested: '',
  kept: '',
}

/** As the scripts print it. */
const said = (answer: string, further: Readonly<Record<string, string>> = {}): string =>
  answerText({ ...further, answer })

/** Nodes whose scripts on checkouts work in memory. */
export function checkoutPool(checkouts = new FakeCheckouts()): SshPool {
  return {
    // After the title come the folder of the Projects, that of the Project, and the name of the checkout.
    run: async ({ nodeId }, command, options) => {
      if (checkouts.silent.has(nodeId) || checkouts.lost.has(titleOf(command)))
        throw new SshFailure('unreachable', false)
      return checkouts.reply(nodeId, command, options, checkouts.pathOn(nodeId, pathOf(command)))
    },
    forward: () => Promise.reject(new Error('no streams here')),
    probe: () => Promise.resolve(),
    scan: () => Promise.reject(new Error('no host keys here')),
    forget: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

const isRemoval = ({ shown }: Command): boolean => / normal( |$)/.test(shown)
const titleOf = ({ shown }: Command): string => /^script '([a-z ]+)'/.exec(shown)?.[1] ?? ''

const pathOf = ({ shown }: Command): string => /' (\S+ \S+ \S+)/.exec(shown)?.[1]?.replaceAll(' ', '/') ?? ''

const resultOf = (text: string): CommandResult => ({
  exitCode: 0,
  signal: null,
  stdout: Buffer.from(text),
  stderr: Buffer.alloc(0),
})
