import type { InputOf } from '@fleet/contract'
import type { FoundOf, HandlerRequest, Outcome } from '#/handler.ts'

/** One handler shape for both lists: their operations take and answer the same. */
export type StepHandler<V extends 'list' | 'create' | 'update' | 'destroy', T> = (
  request: HandlerRequest<InputOf<`project:setup-step:${V}`>, FoundOf<'project:setup-step:list'>>,
) => Promise<Outcome<T>>
