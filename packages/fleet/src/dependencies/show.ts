import type { DependencyDeps } from '#/dependencies/deps.ts'
import { readInventory } from '#/dependencies/inventory.ts'
import type { Handler } from '#/handler.ts'

/** The stored inventory, without a word to the Node (DEP-032). */
export const makeShow =
  ({ store }: Pick<DependencyDeps, 'store'>): Handler<'instance:dependencies:show'> =>
  async ({ call, input }) => {
    call.note.subject('instance', input.instance)
    return { data: await readInventory(store.db, input.instance) }
  }
