import { after } from 'node:test'
import { systemIds } from '@fleet/kernel'
import type { Command } from '@fleet/shell'
import type { CommandResult, SshPool } from '@fleet/ssh'
import type { Row, Store } from '@fleet/store'
import { answerText, addNode, addProject, fakeCall, openTestStore } from '@fleet/testing'
import { type InstanceQueries, type InstanceRow, makeInstanceQueries } from '#/instances/queries.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { makeSession } from '#/nodes/api.ts'

/** What the scripts of this domain change, in memory: the real ones are killed at every point in `*-crash.machine.test.ts`. */
export class FakeCheckouts {
  /** What stands at each path: the parts that scripts made, and the commands of Projects that ran there. */
  readonly #parts = new Map<string, Set<string>>()
  /** Paths whose source a removal has recorded. */
  readonly #recorded = new Set<string>()

  at(path: string): readonly string[] {
    return [...(this.#parts.get(path) ?? [])].toSorted()
  }

  /** Answers as the script of this title would. */
  run(title: string, path: string, command: Command): string {
    const parts = this.#parts.get(path) ?? new Set()
    switch (title) {
      case 'prepare checkout':
        this.#parts.set(path, parts.add('checkout'))
        return said('prepared')
      case 'resolve source':
        parts.add('source')
        return said('resolved', { commit: '0123456789012345678901234567890123456789', submodules: '0' })
      case 'examine source':
        return said('examined', { artisan: 'absent', console: 'absent', composer: 'absent' })
      case 'provision environment':
        parts.add('.env')
        return said('made')
      case 'run lifecycle step':
        parts.add(`ran ${command.stdin?.reveal() ?? ''}`)
        return said('ended', { end: 'exit 0' })
      case 'inspect source':
        this.#recorded.add(path)
        return said('inspected', INSPECTED)
      case 'discard checkout':
        if (this.#parts.has(path) && isRemoval(command) && !this.#recorded.has(path))
          return said('unrecorded')
        this.#parts.delete(path)
        return said('gone')
      default:
        throw new Error(`no script ${title}`)
    }
  }
}

const INSPECTED = {
  origin: 'https://example.com/app.git',
  head: 'refs/heads/main',
  cleanliness: 'clean',
  asked: 'skipped',
  lost: 'no',
  worktrees: '0',
  heads: 'digest',
}

/** As the scripts print it. */
const said = (answer: string, further: Readonly<Record<string, string>> = {}): string =>
  answerText({ ...further, answer })

/** One Instance after another on one Node: what the lists of this folder work on. */
export interface Attempts {
  readonly store: Store
  readonly queries: InstanceQueries
  readonly project: Row<'projects'>
  /** Where an operation on the Instance works. */
  checkout(row: InstanceRow): CheckoutSession
  /** A row of its own name. */
  reserve(values?: Partial<InstanceRow>): Promise<InstanceRow>
  /** The Instance's row and files, the same for every Instance in the same state. */
  view(row: InstanceRow): Promise<unknown>
  prepare(row: InstanceRow): void
}

/** Nodes whose scripts on checkouts work in memory. */
export function checkoutPool(): SshPool {
  const checkouts = new FakeCheckouts()
  return {
    // After the title come the folder of the Projects, that of the Project, and the name of the checkout.
    run: async (_target, command) => answer(checkouts.run(titleOf(command), pathOf(command), command)),
    forward: () => Promise.reject(new Error('no streams here')),
    probe: () => Promise.resolve(),
    scan: () => Promise.reject(new Error('no host keys here')),
    forget: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Opened once for the tests of a file. */
export function attempts(): () => Promise<Attempts> {
  let opened: Promise<Attempts> | undefined
  after(async () => (await opened)?.store[Symbol.asyncDispose]())
  return () => (opened ??= open())
}

async function open(): Promise<Attempts> {
  const store = await openTestStore()
  const node = { ...(await addNode(store)), activeRoles: ['app-dev'] as const }
  const project = await addProject(store, { repository_url: 'https://example.com/app.git' })
  const queries = makeInstanceQueries(store)
  const checkouts = new FakeCheckouts()
  let count = 0
  return {
    store,
    queries,
    project,
    checkout: ({ checkout_path: path }) => {
      const send = async (_call: unknown, command: Command) =>
        answer(checkouts.run(titleOf(command), path, command))
      const session = makeSession({ call: fakeCall(), node, login: node.user, send })
      return { session, project }
    },
    reserve: async (values = {}) => {
      count += 1
      const row = await queries.reserve({
        project_id: project.id,
        node_id: node.id,
        name: `a${count}`,
        environment: 'development',
        source_layout: 'checkout',
        checkout_path: `/home/fleet/apps/app/a${count}`,
        root: null,
        branch_override: null,
        detached: 0,
        migration_required: 0,
        status: 'reserved',
        vite_port: 20_000 + count,
        preparation_id: systemIds.uuid(),
        created_at: '2026-01-02T03:04:05.000Z',
        ...values,
      })
      if (!row) throw new Error('the name is taken')
      return row
    },
    view: async ({ name, checkout_path: path }) => ({
      row: shownOf(await queries.findNamed(project.id, name)),
      parts: checkouts.at(path),
    }),
    prepare: ({ checkout_path: path }) => {
      for (const title of ['prepare checkout', 'resolve source', 'provision environment'])
        checkouts.run(title, path, { line: '', shown: '' })
    },
  }
}

const isRemoval = ({ shown }: Command): boolean => / normal( |$)/.test(shown)
const titleOf = ({ shown }: Command): string => /^script '([a-z ]+)'/.exec(shown)?.[1] ?? ''

const pathOf = ({ shown }: Command): string => /' (\S+ \S+ \S+)/.exec(shown)?.[1]?.replaceAll(' ', '/') ?? ''

const answer = (text: string): CommandResult => ({
  exitCode: 0,
  signal: null,
  stdout: Buffer.from(text),
  stderr: Buffer.alloc(0),
})

// The reservation itself is made before a list begins, and by the identical request again.
const shownOf = (row: InstanceRow | undefined) =>
  row && row.status !== 'reserved'
    ? { status: row.status, profile: row.profile, commit: row.starting_commit, setup: row.setup }
    : undefined
