import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { presentApp } from '#/github/present.ts'
import { deleteApp } from '#/github/queries.ts'
import type { Handler } from '#/handler.ts'

/** What is stored goes; GitHub is not asked. */
export const makeAppDestroy =
  ({ db }: Pick<Store, 'db'>): Handler<'github:app:destroy'> =>
  async () => {
    const app = await deleteApp(db)
    if (!app) throw fail('github.app_missing')
    return { data: presentApp(app) }
  }
