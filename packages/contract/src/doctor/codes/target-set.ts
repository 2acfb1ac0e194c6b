/** A set of targets as it is recorded, and as `route:show` has it. */
export interface UnfinishedSet {
  readonly targets: readonly number[]
  readonly dispositions: ReadonlyArray<{
    readonly instance_id: number
    /** Neither null nor absent where the Instance serves another Route from then on; else it is removed. */
    readonly route_id?: number | null | undefined
  }>
}

/** The arguments with which `fleet route:target:set ROUTE` resumes it. */
export const targetSetArguments = ({ targets, dispositions }: UnfinishedSet): string =>
  [
    ...targets.map((id) => `--targets ${id}`),
    ...dispositions.map(({ instance_id, route_id }) =>
      route_id === null || route_id === undefined
        ? `--remove ${instance_id}`
        : `--reassign ${instance_id}:${route_id}`,
    ),
  ].join(' ')
