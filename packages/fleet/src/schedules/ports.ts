/** What Schedules need from deployments, which are above them. */
export interface SelectedReleases {
  /** The release that a production Instance runs; undefined when there is none. */
  selected(instanceId: number): Promise<unknown>
}
