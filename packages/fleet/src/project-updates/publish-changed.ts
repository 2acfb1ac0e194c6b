import type { EventData } from '@fleet/contract'
import { isDeepStrictEqual } from 'node:util'
import type { ProjectCheckout } from '#/instances/api.ts'
import {
  changes,
  followersOf,
  isBelowProjectRoot,
  isOnDefaultBranch,
  type ProjectUpdate,
} from '#/project-updates/update.ts'
import { presentProject } from '#/projects/api.ts'

/** Publishes the Project and each Instance that follows it as they are now, unless subscribers have them so (EV-024, decision 0300). */
export async function publishChanged(update: ProjectUpdate): Promise<void> {
  const { deps, after } = update
  await publishOnce(update, 'project.updated', presentProject(after))
  for (const of of await followersOf(update))
    if (isConcerned(update, of))
      await publishOnce(update, 'instance.updated', await deps.checkouts.present(of, after))
}

const isConcerned = (update: ProjectUpdate, of: ProjectCheckout): boolean =>
  changes(update, 'slug') ||
  (changes(update, 'root') && isBelowProjectRoot(of)) ||
  (changes(update, 'default_branch') && isOnDefaultBranch(of))

async function publishOnce<T extends 'project.updated' | 'instance.updated'>(
  { call, published }: ProjectUpdate,
  type: T,
  data: EventData<T>,
): Promise<void> {
  const key = `${type} ${data.id}`
  if (isDeepStrictEqual(published.get(key), data)) return
  published.set(key, data)
  await call.publish(type, data)
}
