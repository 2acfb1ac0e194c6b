import { makeRun, type RunDeps } from '#/doctor/run.ts'
import type { HandlersOf } from '#/handler.ts'

/** Compares machines with records. What is checked comes from the domains, each with its own part of a family. */
export const makeDoctor = (deps: RunDeps): { readonly handlers: HandlersOf<'doctor:run'> } => ({
  handlers: { 'doctor:run': makeRun(deps) },
})
