// Means, medians, percentiles, as numpy computes them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ingot::cli {

// 0 for no values.
double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // of a population

// Linear between neighbours; `percent` from 0 to 100. 0 for no values.
double percentile(std::vector<double> values, double percent);

// "99", "99.9": a percentile in names of keys and rows.
std::string percent_name(double percent);

}  // namespace ingot::cli
