import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'

/** Finds the Instance behind a Route domain. No Route exists yet, so no domain reaches an Instance. */
export const makeResolve = (): Handler<'instance:resolve'> => async () => {
  throw fail('instance.not_found')
}
