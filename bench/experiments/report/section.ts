/** What a report shows, as plain data: the page is made of it, and its script draws the charts. */

export type AxisUnit = 'ms' | 's' | 'bytes' | 'count' | 'perSecond' | 'bytesPerSecond' | 'ratio';

export interface ChartLine {
  readonly label: string;
  /** By place on the axis of the chart; null where nothing was measured. */
  readonly values: readonly (number | null)[];
  /** The lowest and the highest of repeated runs. */
  readonly lows?: readonly (number | null)[];
  readonly highs?: readonly (number | null)[];
}

export interface Chart {
  readonly title: string;
  readonly x: {
    readonly label: string;
    readonly unit: AxisUnit;
    readonly isLogarithmic: boolean;
    readonly values: readonly number[];
    /** In the place of numbers, where the axis has names. */
    readonly names?: readonly string[];
  };
  readonly unit: AxisUnit;
  /** What shades are, where they are not the range of repeated runs. */
  readonly band?: string;
  readonly lines: readonly ChartLine[];
}

export interface Bars {
  readonly title: string;
  readonly rows: readonly {
    readonly label: string;
    /** Relative to the base: 0.1 is a tenth more. */
    readonly change: number;
    readonly value: string;
    /** `better`, `worse` or neither; a difference that repeated runs do not tell from noise is neither. */
    readonly verdict: 'better' | 'worse' | 'neither';
  }[];
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Section {
  readonly title: string;
  readonly about: string;
  readonly charts: readonly Chart[];
  readonly bars: readonly Bars[];
  readonly tables: readonly Table[];
}
