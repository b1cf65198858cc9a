// SPDX-License-Identifier: Apache-2.0
// Sums of many terms >= 0, a row of a graph long, without the error of adding one after the other.
// Method: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974).
#pragma once

namespace gaspipe {

class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    lost_ += sum_ >= term ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace gaspipe
