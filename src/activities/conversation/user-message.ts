/** Result of the step in which the simulated user speaks. */
export interface UserMessage {
  message: string;
}
