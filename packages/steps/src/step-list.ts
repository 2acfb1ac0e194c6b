import type { Step } from './step.ts'

/** A piece of work: the only thing that the runner takes, so that no list escapes its property tests. */
export interface StepList<C> {
  /** Unique in the project; `npm run check` looks for the property tests of this name. */
  readonly name: string
  /** True when the work was committed before its first step: nothing is undone, whatever fails. */
  isForwardOnly(context: C): boolean
  /** Throws for an empty list, a repeated name and a second commit point. */
  stepsFor(context: C): readonly Step<C>[]
}

export interface StepListOptions<C> {
  readonly forwardOnly?: true | ((context: C) => boolean)
}

/** Declares a list of steps, the same each time or depending on what the work is about. */
export function stepList<C>(
  name: string,
  steps: readonly Step<C>[] | ((context: C) => readonly Step<C>[]),
  { forwardOnly }: StepListOptions<C> = {},
): StepList<C> {
  return {
    name,
    isForwardOnly: (context) =>
      typeof forwardOnly === 'function' ? forwardOnly(context) : forwardOnly === true,
    stepsFor: (context) => properList(name, typeof steps === 'function' ? steps(context) : steps),
  }
}

function properList<C>(name: string, steps: readonly Step<C>[]): readonly Step<C>[] {
  if (new Set(steps.map((step) => step.name)).size !== steps.length)
    throw new Error(`${name}: two steps share a name`)
  if (steps.filter((step) => step.commits).length > 1)
    throw new Error(`${name}: a list has one commit point at most`)
  return steps
}
