/** What the inventory needs from deployments, which are above it. */
export interface SelectedReleases {
  /** Name of the release that a production Instance runs; undefined before its first deployment. */
  selected(instanceId: number): Promise<string | undefined>
}
