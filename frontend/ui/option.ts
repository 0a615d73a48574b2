/** One choice of a Select. */
export interface Option {
  value: string;
  text: string;
  disabled?: boolean;
}
