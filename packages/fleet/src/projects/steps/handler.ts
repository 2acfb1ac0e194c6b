import type { InputOf } from '@fleet/contract'
import type { FoundOf, HandlerRequest, Outcome } from '#/handler.ts'

/** One handler shape for all lists: their operations take and answer the same, but for `required` of deploy steps. */
export type StepHandler<V extends 'list' | 'create' | 'update' | 'destroy', T> = (
  request: HandlerRequest<StepInput<V>, FoundOf<'project:setup-step:list'>>,
) => Promise<Outcome<T>>

export type StepInput<V extends 'list' | 'create' | 'update' | 'destroy'> =
  InputOf<`project:setup-step:${V}`> & { readonly required?: boolean | undefined }
