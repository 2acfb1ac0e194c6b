import { after } from 'node:test'
import { systemIds } from '@fleet/kernel'
import type { Row, Store } from '@fleet/store'
import { addNode, addProject, FakeCheckouts, fakeCall, openTestStore } from '@fleet/testing'
import {
  type InstanceQueries,
  type InstanceRow,
  makeInstanceQueries,
  reserveRow,
} from '#/instances/queries.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { makeSession } from '#/nodes/api.ts'

/** One Instance after another on one Node: what the lists of this folder work on. */
export interface Attempts {
  readonly checkouts: FakeCheckouts
  readonly store: Store
  readonly routes: FakeCheckouts['routes']
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

type SessionSend = Parameters<typeof makeSession>[0]['send']

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
    routes: checkouts.routes,
    checkouts,
    queries,
    project,
    checkout: ({ checkout_path: path }) => {
      const send: SessionSend = (_call, command, options) => checkouts.reply(node.id, command, options, path)
      const session = makeSession({ call: fakeCall(), node, login: node.user, send })
      return { session, project }
    },
    reserve: async (values = {}) => {
      count += 1
      const row = await reserveRow(store.db, {
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

// The reservation itself is made before a list begins, and by the identical request again.
const shownOf = (row: InstanceRow | undefined) =>
  row && row.status !== 'reserved'
    ? { status: row.status, profile: row.profile, commit: row.starting_commit, setup: row.setup }
    : undefined
