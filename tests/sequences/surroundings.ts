import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '@fleet/testing/git-server'
import { isThere, type World } from './world.ts'

export interface SeenProject {
  readonly id: number
  readonly repository_url: string
}

export interface SeenInstance {
  readonly id: number
  readonly name: string
  readonly environment: string
  readonly project_id: number
  readonly node_id: number
  readonly checkout_path: string
}

/** What there is to be asked for, in the order in which it was made, and what a person does in a checkout. */
export interface Surroundings {
  /** Ids of two Nodes for development and one for production. */
  readonly nodes: readonly number[]
  urlOf(repository: string): string
  projects(): Promise<readonly SeenProject[]>
  instances(): Promise<readonly SeenInstance[]>
  ids(of: 'processes' | 'schedules' | 'routes'): Promise<readonly (number | string)[]>
  releasesOf(instance: SeenInstance): Promise<readonly string[]>
  attachments(): Promise<readonly object[]>
  hasConnection(slug: string): Promise<boolean>
  /** Begins another branch in a checkout; false where there is none. */
  begin(instance: SeenInstance, branch: string): Promise<boolean>
  /** Writes a file in a checkout in which somebody still works; false where nobody does. */
  write(instance: SeenInstance, name: string, text: string): Promise<boolean>
}

export function surroundingsOf({ store: { db }, machines, git: server }: World): Surroundings {
  const orders = { processes: 'id', schedules: 'created_at', routes: 'id' } as const
  return {
    nodes: machines.all.map(({ node }) => node.id),
    urlOf: (repository) => server.urlOf(repository),
    projects: () => db.selectFrom('projects').selectAll().orderBy('id').execute(),
    instances: () => db.selectFrom('instances').selectAll().orderBy('id').execute(),
    ids: async (of) => {
      const rows = await db.selectFrom(of).select('id').orderBy(orders[of]).execute()
      return rows.map(({ id }) => id)
    },
    releasesOf: async ({ id }) => {
      const rows = await db
        .selectFrom('deployments')
        .select('release')
        .where('instance_id', '=', id)
        .execute()
      return rows.flatMap(({ release }) => release ?? [])
    },
    attachments: async () => {
      const rows = await db.selectFrom('database_attachments').selectAll().orderBy('id').execute()
      return rows.map(({ instance_id: instance, slug, prefix }) => ({ instance, slug, prefix }))
    },
    hasConnection: async (slug) =>
      (await db
        .selectFrom('database_connections')
        .select('id')
        .where('slug', '=', slug)
        .executeTakeFirst()) !== undefined,
    begin: async ({ checkout_path: path }, branch) => {
      if (!isThere(join(path, '.git'))) return false
      git(path, ['switch', '-q', '-c', branch])
      return true
    },
    write: async ({ id, checkout_path: path }, name, text) => {
      const row = await db
        .selectFrom('instances')
        .select('removal_status')
        .where('id', '=', id)
        .executeTakeFirst()
      // Nobody goes on to work in what is being removed.
      if (row?.removal_status !== null || !isThere(join(path, '.git'))) return false
      writeFileSync(join(path, name), text)
      return true
    },
  }
}
