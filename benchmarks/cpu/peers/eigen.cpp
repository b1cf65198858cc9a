// SPDX-License-Identifier: Apache-2.0
// Eigen's product of a row-major sparse matrix and a vector, timed. Arguments: graph (words of 32 bits: vertices,
// edges, offsets but the last, targets, weights), vector, its bits (32 or 64). The product is written to the file
// PEER_DUMP.
#include <Eigen/Sparse>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <class T>
std::vector<T> read(FILE* file, std::size_t n) {
  std::vector<T> values(n);
  if (std::fread(values.data(), sizeof(T), n, file) != n) std::exit(2);
  return values;
}

template <class Number>
void run(const char* graph, const char* vector) {
  FILE* file = std::fopen(graph, "rb");
  FILE* numbers = std::fopen(vector, "rb");
  if (file == nullptr || numbers == nullptr) std::exit(2);
  const auto size = read<unsigned>(file, 2);
  const int n = static_cast<int>(size[0]), m = static_cast<int>(size[1]);
  auto offsets = read<int>(file, n);
  offsets.push_back(m);
  const auto targets = read<int>(file, m);
  std::vector<Number> weights(m);
  {
    const auto words = read<unsigned>(file, m);
    for (int i = 0; i < m; ++i) weights[i] = static_cast<Number>(words[i]);
  }
  const auto values = read<Number>(numbers, n);
  using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  const Eigen::Map<const Eigen::SparseMatrix<Number, Eigen::RowMajor, int>> matrix(n, n, m, offsets.data(),
                                                                                   targets.data(), weights.data());
  const Eigen::Map<const Vector> x(values.data(), n);
  Vector y(n);
  for (int i = 0; i < 6; ++i) {
    const auto start = std::chrono::steady_clock::now();
    y.noalias() = matrix * x;
    std::printf("seconds: %.9f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  if (const char* path = std::getenv("PEER_DUMP")) {
    FILE* dump = std::fopen(path, "wb");
    std::fwrite(y.data(), sizeof(Number), n, dump);
    std::fclose(dump);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::strcmp(argv[3], "32") == 0 ? run<float>(argv[1], argv[2]) : run<double>(argv[1], argv[2]);
}
